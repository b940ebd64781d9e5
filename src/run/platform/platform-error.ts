import { BackendError } from '../../ask/sluice-error.ts';
import { quote } from '../../ask/text.ts';
import type { Refusal } from '../load/load-service.ts';
import { errorOf, toCommonError, withAway, withWords } from '../load/service-error.ts';

/** The target of a request, for messages. */
interface PlatformPlace {
  /** Host of the platform. */
  readonly host: string;
  /** Number or full path, as in the configuration. */
  readonly project: string;
  /** True if the path was sent encoded because its number could not be looked up. */
  readonly byPath?: boolean | undefined;
}

/**
 * Converts a refusal of the platform to an error with a hint. The platform also answers 401 to known users, and 404 for
 * three different problems, so its message distinguishes them. Codes: `token-refused`, `token-missing`, `role-too-low`,
 * `access-restricted`, `scope-too-narrow`, `captcha-wanted`, `not-onboarded`, `project-not-found`, and those of
 * `toCommonError`.
 */
export function toPlatformError(refusal: Refusal, { host, project, byPath = false }: PlatformPlace): BackendError {
  const { status, words } = refusal;
  const { text, fields } = words;
  const error = errorOf(refusal);
  if (fields['needs_captcha_response'] === true) return captchaError(refusal, host);
  if (status === 401) {
    if (/purchas|restricted/i.test(text))
      return error(
        'access-restricted',
        `${host} does not offer product analytics for project ${quote(project)}`,
        'Its group needs the add-on, or its own cluster.',
      );
    if (/access denied/i.test(text))
      return error(
        'role-too-low',
        `The user of the token cannot see the analytics of project ${quote(project)}`,
        'Give the user at least the Reporter role in the project. The token itself is valid.',
      );
    return error(
      'token-refused',
      `${host} does not accept the token`,
      'The token may be wrong, expired or revoked. Use a personal, project, group or OAuth token, ' +
        'not a CI job token (CI_JOB_TOKEN). Run `sluice doctor` to see its source.',
    );
  }
  if (status === 403 && fields['error'] === 'insufficient_scope') {
    const scope = typeof fields['scope'] === 'string' ? ` Required: ${quote(fields['scope'])}.` : '';
    return error(
      'scope-too-narrow',
      `The scope of the token is too narrow for ${host}`,
      `Create one with the scope \`read_api\` or \`api\`.${scope}`,
    );
  }
  if (status === 404) {
    if (/product analytics is not enabled/i.test(text))
      return error(
        'not-onboarded',
        `Project ${quote(project)} has no product analytics`,
        'It is disabled for the instance or group, or the project is a personal one. ' +
          'A maintainer can set it up in the analytics settings of the project.',
      );
    if (/database not found/i.test(text))
      return error(
        'not-onboarded',
        `Project ${quote(project)} has not been onboarded to product analytics, or has no events yet`,
        "Set it up in the project's analytics settings, and instrument an application.",
      );
    if (/project not found/i.test(text)) return projectNotFound(refusal, { host, project });
    if (byPath) return endpointByPath(refusal, { host, project });
  }
  return toCommonError(refusal, host);
}

export function projectNotFound(refusal: Refusal, { host, project }: PlatformPlace): BackendError {
  const decoded = project.includes('/') ? ' If a proxy changes %2F into a slash, use the number of the project.' : '';
  return new BackendError(
    withWords(`There is no project ${quote(project)} on ${host} that the token's user can see`, refusal),
    {
      code: 'project-not-found',
      hint: withAway(`Correct the number or path, or use a token of a member of the project.${decoded}`, refusal),
    },
  );
}

function endpointByPath(refusal: Refusal, { host, project }: PlatformPlace): BackendError {
  return new BackendError(
    withWords(`${host} does not answer queries for project ${quote(project)} by its path`, refusal),
    {
      code: 'endpoint-not-found',
      hint: 'Use the number of the project. The endpoint does not accept paths, or a proxy changes %2F into a slash.',
    },
  );
}

/**
 * Source: the platform's API: the request is sent again with the CAPTCHA's answer and the number of its entry in the
 * spam log.
 */
export function captchaError(refusal: Refusal, host: string): BackendError {
  const { fields } = refusal.words;
  const log = String(fields['spam_log_id'] ?? '');
  const site = typeof fields['captcha_site_key'] === 'string' ? ` (site key ${quote(fields['captcha_site_key'])})` : '';
  return new BackendError(withWords(`${host} classified the request as spam and requires a CAPTCHA${site}`, refusal), {
    code: 'captcha-wanted',
    hint:
      'Solve it in a browser, and ask again with ' +
      `its answer in SLUICE_CAPTCHA_RESPONSE and SLUICE_SPAM_LOG_ID=${/^\d+$/.test(log) ? log : '<spam_log_id>'}. ` +
      'They are sent as the headers X-Service-Captcha-Response and X-Service-Spam-Log-Id.',
  });
}
