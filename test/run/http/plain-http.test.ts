import { describe, expect, it } from 'vitest';
import { demandPrivateWay } from '../../../src/run/http/address.ts';
import { folderOf } from '../../use/run-in-folder.ts';

describe('a token over plain http', () => {
  it.each([
    'http://code.example.org',
    'http://10.0.0.7:8080',
    'http://localhost.example.org',
    'http://127.0.0.1.example.org',
    'http://[2001:db8::1]/',
  ])('is refused to %s', (url) => {
    expect(() => demandPrivateWay(new URL(url), 'The token')).toThrow(
      expect.objectContaining({ code: 'plain-http', hint: expect.stringContaining('allowHttp: true') as string }),
    );
  });

  it.each([
    'https://code.example.org',
    'http://localhost:3000',
    'http://127.0.0.1:4000/cubejs-api/v1',
    'http://[::1]:4000',
  ])('is no matter for %s', (url) => {
    expect(() => demandPrivateWay(new URL(url), 'The token')).not.toThrow();
  });

  it('ends a command with 2 before anything is sent, for the platform and for Cube, unless it is allowed', async () => {
    const platform = { 'sluice.yaml': 'platform: {url: "http://platform.invalid", project: 7}\n' };
    const cube = { 'sluice.yaml': 'backend: cube\ncube: {url: "http://cube.invalid/cubejs-api/v1"}\n' };
    for (const [files, env] of [
      [platform, { SLUICE_TOKEN: 'a-token-of-some-length' }],
      [cube, { SLUICE_CUBE_TOKEN: 'a-token-of-some-length' }],
      [cube, { SLUICE_CUBE_SECRET: 'a-secret-of-some-length' }],
    ] as const) {
      const folder = folderOf(files);
      expect(await folder.sluice(['query', 'count'], { env })).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(/over plain http[^]*SLUICE_ALLOW_HTTP=true/) as string,
      });
      expect(
        (await folder.sluice(['query', 'count', '--wait', '1s'], { env: { ...env, SLUICE_ALLOW_HTTP: 'true' } }))
          .stderr,
      ).not.toContain('over plain http');
      expect(await folder.sluice(['query', 'count'], { env: { ...env, SLUICE_ALLOW_HTTP: 'maybe' } })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('SLUICE_ALLOW_HTTP') as string,
      });
    }
  });
});
