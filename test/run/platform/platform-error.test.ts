import { describe, expect, it } from 'vitest';
import { exitCodeOf } from '../../../src/use/process/report-error.ts';
import { openScriptedServer, type Reply } from '../http/scripted-server.ts';
import { count, failureOf, platformWorld, remotePlan, token } from '../load/remote.ts';

const refused = async (reply: Reply, project = '42') => {
  await using world = await platformWorld(reply, { project });
  return await failureOf(world.backend.run(remotePlan(count)));
};
const said = (status: number, message: unknown): Reply => ({ status, json: { message } });
const page = '<!DOCTYPE html><html><head><title>Sign in · Example</title></head><body>…</body></html>';

/** Status, body, and the result: code, exit code, and required message. */
const refusals: Readonly<Record<string, readonly [reply: Reply, code: string, exit: number, told: RegExp]>> = {
  'a bad token': [said(401, '401 Unauthorized'), 'token-refused', 3, /CI_JOB_TOKEN/],
  'a revoked token': [
    {
      status: 401,
      json: { error: 'invalid_token', error_description: 'Token was revoked. You have to re-authorize from the user.' },
    },
    'token-refused',
    3,
    /Token was revoked/,
  ],
  'a role that is too low, which the platform calls unauthorized': [
    said(401, 'Access Denied'),
    'role-too-low',
    3,
    /Reporter/,
  ],
  'a group without the add-on, which it calls so too': [
    said(
      401,
      'Access to product analytics is restricted.\n          Please consider purchasing product analytics add on or setup your own cluster to continue',
    ),
    'access-restricted',
    3,
    /add-on/,
  ],
  'a scope that is too narrow': [
    {
      status: 403,
      json: {
        error: 'insufficient_scope',
        error_description: 'The request requires higher privileges than provided by the access token.',
        scope: 'api read_api',
      },
    },
    'scope-too-narrow',
    3,
    /"api read_api"/,
  ],
  'another 403': [said(403, '403 Forbidden'), 'forbidden', 3, /403 Forbidden/],
  'no such project': [said(404, '404 Project Not Found'), 'project-not-found', 2, /"42"/],
  'analytics switched off': [said(404, 'Product Analytics is not enabled'), 'not-onboarded', 2, /no product analytics/],
  'a project without a database': [said(404, '404 Clickhouse Database Not Found'), 'not-onboarded', 2, /onboarded/],
  'the same of an older version': [said(404, '404 Database Not Found'), 'not-onboarded', 2, /onboarded/],
  'no such endpoint': [{ status: 404, json: { error: '404 Not Found' } }, 'endpoint-not-found', 2, /configured URL/],
  'a page of another server': [{ status: 404, text: page }, 'endpoint-not-found', 2, /Sign in · Example/],
  'a query that Cube refuses': [
    said(400, "'nope' not found for path 'TrackedEvents.nope'"),
    'query-refused',
    2,
    /'nope' not found/,
  ],
  'a member of the other vocabulary': [
    said(400, "'utcTime' not found for path 'TrackedEvents.utcTime'"),
    'query-refused',
    2,
    /TrackedEvents\.derivedTstamp/,
  ],
  'a parameter that is missing': [
    { status: 400, json: { error: 'query is missing' } },
    'query-refused',
    2,
    /query is missing/,
  ],
  'properties with their faults': [
    said(400, { title: ['is missing', 'is too short'], embed: { url: ['is bad'] } }),
    'query-refused',
    2,
    /title is missing; title is too short; embed url is bad/,
  ],
  'a query that cannot be worked on': [said(422, '422 Unprocessable'), 'query-refused', 2, /422 Unprocessable/],
  'more rows than there are at once': [
    said(400, 'Error: The query limit has been exceeded.'),
    'limit-too-high',
    2,
    /sluice export/,
  ],
  'a query that is too long': [{ status: 414, text: '' }, 'query-too-long', 2, /Split the query/],
  'a rate limit, in plain text': [{ status: 429, text: 'Retry later\n' }, 'rate-limited', 4, /Retry later/],
  'a rate limit that says for how long': [
    { status: 429, headers: { 'Retry-After': '900' }, text: 'Retry later\n' },
    'rate-limited',
    4,
    /in 15 min/,
  ],
  'a service that the platform cannot reach': [
    said(502, 'Failed to open TCP connection to cube:4000 (Connection refused)'),
    'service-unreachable',
    4,
    /Connection refused/,
  ],
  'a platform that is overloaded': [{ status: 503, text: page }, 'server-overloaded', 4, /Try again/],
  'a fault of the platform': [
    { status: 500, json: { message: '500 Internal Server Error' } },
    'server-error',
    4,
    /500 Internal/,
  ],
  spam: [said(400, { error: 'Your request has been recognized as spam.' }), 'query-refused', 2, /recognized as spam/],
  'a CAPTCHA': [
    {
      status: 409,
      json: {
        needs_captcha_response: true,
        spam_log_id: 17,
        captcha_site_key: 'site-key',
        message: { error: 'Solve the CAPTCHA.' },
      },
    },
    'captcha-wanted',
    3,
    /SLUICE_CAPTCHA_RESPONSE and SLUICE_SPAM_LOG_ID=17\..*X-Service-Captcha-Response and X-Service-Spam-Log-Id/,
  ],
  'an error with 200': [{ json: { error: 'Something else' } }, 'query-refused', 2, /Something else/],
  'a page with 200': [{ text: page }, 'not-json', 4, /Sign in · Example/],
  'text with 200': [{ text: 'Retry later' }, 'not-json', 4, /Retry later/],
  'nothing with 200': [{ text: '' }, 'answer-empty', 4, /empty response/],
  'JSON that stops halfway': [
    { text: '{"results":[{"data":[{"TrackedEvents.count":"1' },
    'answer-cut-off',
    4,
    /incomplete/,
  ],
  'JSON that is no answer': [{ json: ['a'] }, 'answer-unreadable', 4, /load endpoint/],
  'two answers to one question': [
    { json: { results: [{ data: [] }, { data: [] }] } },
    'answer-unreadable',
    4,
    /"results"/,
  ],
};

it('a body that ends early is asked for again, as after a cut connection', async () => {
  let asked = 0;
  const body = '{"results":[{"data":[{"TrackedEvents.count":"1"}]}]}';
  await using world = await platformWorld(() => {
    asked += 1;
    return { text: asked === 1 ? '' : body.slice(0, asked === 2 ? 40 : undefined) };
  });
  const { batches } = await world.backend.run(remotePlan(count));
  const found = [];
  for await (const { columns } of batches) found.push(Array.from(columns[0] ?? []));
  expect([found, asked]).toEqual([[[1]], 3]);
});

describe('a refusal of the platform', () => {
  it.each(Object.entries(refusals))('%s', async (_, [reply, code, exit, told]) => {
    const error = await refused(reply);
    expect(error.code).toBe(code);
    expect(`${error.message} ${error.hint}`).toMatch(told);
    expect(exitCodeOf(error)).toBe(exit);
    expect(error.hint.length).toBeGreaterThan(10);
  });

  it('quotes hostile text as one short line, without the token that it echoes', async () => {
    const { message } = await refused(said(400, `\u001b[31mred\u001b[0m\nnext ‮${token} ${'x'.repeat(5000)}`));
    expect(message).not.toMatch(/[\u001b\n\u202e]/);
    expect(message).not.toContain(token);
    expect(message.length).toBeLessThan(600);
  });

  it('says where the request went astray, where that may be all that is wrong', async () => {
    await using elsewhere = await openScriptedServer(() => said(401, '401 Unauthorized'));
    const { code, hint, message } = await refused({ status: 301, headers: { Location: `${elsewhere.url}/api/v4/x` } });
    expect([code, message, hint]).toEqual([
      'redirected-away',
      expect.stringContaining(elsewhere.url),
      expect.stringContaining(`If ${elsewhere.url} is the right server, configure its URL`),
    ]);
    expect(elsewhere.requests).toEqual([]);
  });

  it('is met again when the project is a path that does not exist', async () => {
    const error = await refused(said(404, '404 Project Not Found'), 'acme/none');
    expect(error).toMatchObject({ code: 'project-not-found', hint: expect.stringContaining('%2F') });
  });

  it('is not taken for a missing project where the token is bad', async () => {
    expect(await refused(said(401, '401 Unauthorized'), 'acme/none')).toMatchObject({ code: 'token-refused' });
  });
});
