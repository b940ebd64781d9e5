import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { fewEvents, folderOf } from '../run-in-folder.ts';

const daily = (head: string) =>
  `---\ntitle: Days\n${head}---\n\n\`\`\`query\nname: d\nquery: {measures: [TrackedEvents.count]}\nrange: yesterday\n\`\`\`\n`;
const files = {
  'few events.ndjson': fewEvents,
  'sluice.yaml': 'timezone: Europe/Berlin\n',
  'reports/days.md': daily('schedule: daily at 06:00\n'),
};
const checkout = path.join(import.meta.dirname, '..', '..', '..');
const child = path.join(import.meta.dirname, '..', 'sluice-child.ts');

describe('sluice report schedule', () => {
  it('prints a line of a crontab and a service that run as they are, without a terminal', () => {
    const report = files['reports/days.md'].replace('yesterday', '2024-03-07');
    const folder = folderOf({ ...files, 'reports/days.md': report });
    const schedule = (scheduler: string) =>
      spawnSync(
        process.execPath,
        [child, 'report', 'schedule', '../reports/days.md', '--for', scheduler, '--events', '../few events.ndjson'],
        { cwd: path.join(folder.root, 'reports'), encoding: 'utf8' },
      );
    const made = () =>
      readdirSync(path.join(folder.root, 'out')).map((name) => name.replace(/\d{4}-\d\d-\d\d/, 'DATE'));
    const bare = {
      env: { PATH: '/usr/bin:/bin' },
      stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'],
      encoding: 'utf8' as const,
    };
    const cron =
      schedule('cron')
        .stdout.split('\n')
        .find((line) => !line.startsWith('#')) ?? '';
    expect(cron).toMatch(/^0 \* \* \* \* cd /);
    const run = spawnSync('sh', ['-c', cron.split(' ').slice(5).join(' ')], bare);
    expect([run.status, run.stderr]).toEqual([0, expect.stringContaining('exit 0')]);
    expect(made()).toEqual(['days-DATE.html']);
    rmSync(path.join(folder.root, 'out'), { recursive: true });
    rmSync(path.join(folder.root, '.sluice'), { recursive: true });
    const units = schedule('systemd').stdout;
    expect(units).toContain(
      'OnCalendar=*-*-* *:00:00 Europe/Berlin\nOnCalendar=*-*-* 06:00:00 Europe/Berlin\nPersistent=true',
    );
    const [, command = ''] = /^ExecStart=(.*)$/m.exec(units) ?? [];
    const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    expect(
      spawnSync(words[0]!, words.slice(1), { ...bare, cwd: /^WorkingDirectory=(.*)$/m.exec(units)?.[1] }).status,
    ).toBe(0);
    expect(made()).toEqual(['days-DATE.html']);
  });

  it('prints a job of a pipeline, which keeps what is to be kept, and the call that makes its schedule', async () => {
    const folder = folderOf({
      ...files,
      'reports/days.md': daily('schedule: daily at 06:00\ndeliver: [{folder: public/days}]\n'),
    });
    const { code, stdout } = await folder.sluice([
      'report',
      'schedule',
      'days',
      '--for',
      'gitlab',
      '--host',
      'https://code.example.org',
      '--project',
      '42',
      '--events',
      'few events.ndjson',
    ]);
    expect(code).toBe(0);
    const job = (parse(stdout) as Record<string, { script: string[]; cache: object; artifacts: object }>)[
      'sluice-days'
    ]!;
    expect(job).toMatchObject({
      cache: { paths: ['.sluice/reports/'], when: 'always' },
      artifacts: { paths: ['public/days/'] },
    });
    expect(job.script.at(-1)).toBe(
      "npx --no-install sluice report run --due reports/days.md --events 'few events.ndjson'",
    );
    expect(stdout).toContain('https://code.example.org/api/v4/projects/42/pipeline_schedules');
    expect(
      await folder.sluice(['report', 'run', '--due', 'reports/days.md', '--events', 'few events.ndjson']),
    ).toMatchObject({ code: 0 });
    expect(readdirSync(path.join(folder.root, 'public/days'))).toEqual(['days-2024-03-08.html']);
    expect(await folder.sluice(['report', 'schedule', 'days', '--for', 'gitlab'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--host') as string,
    });
  });

  it('hands on where it is kept which reports ran', async () => {
    const folder = folderOf(files);
    const schedule = (scheduler: string, state: string) =>
      folder.sluice(
        [
          'report',
          'schedule',
          '../reports/days.md',
          '--for',
          scheduler,
          '--state',
          state,
          '--host',
          'https://code.example.org',
          '--project',
          '42',
        ],
        { cwd: 'reports' },
      );
    const command = 'report run --due reports/days.md --project 42 --host https://code.example.org --state';
    expect((await schedule('cron', '../my runs')).stdout).toContain(`sluice ${command} 'my runs'\n`);
    expect((await schedule('systemd', '../my runs')).stdout).toContain(`sluice ${command} "my runs"\n`);
    expect((await schedule('cron', '/var/lib/runs')).stdout).toContain(`${command} /var/lib/runs\n`);
    const { stdout } = await schedule('gitlab', '../my runs');
    expect(parse(stdout)).toMatchObject({
      'sluice-days': {
        cache: { paths: ['my runs/'] },
        script: [
          `npm install --no-save ${checkout}`,
          "npx --no-install sluice report run --due reports/days.md --state 'my runs'",
        ],
      },
    });
    expect(await schedule('gitlab', '/var/lib/runs')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('--state .sluice/reports') as string,
    });
    // The run is found with the flags in the printed lines.
    const due = () =>
      folder.sluice([
        'report',
        'run',
        '--due',
        'reports/days.md',
        '--state',
        'my runs',
        '--events',
        'few events.ndjson',
      ]);
    expect((await due()).stderr).toContain('exit 0');
    expect(readdirSync(path.join(folder.root, 'my runs'))).toContain('days.ndjson');
    expect((await due()).stderr).toContain('Nothing is due.');
  });

  it('installs what the workspace depends on, or the folder where sluice is, and never whatever a registry has by that name', async () => {
    const gitlab = [
      'report',
      'schedule',
      'days',
      '--for',
      'gitlab',
      '--host',
      'https://code.example.org',
      '--project',
      '42',
    ];
    const scriptOf = (text: string) => (parse(text) as Record<string, { script: string[] }>)['sluice-days']?.script[0];
    expect(scriptOf((await folderOf(files).sluice(gitlab)).stdout)).toBe(`npm install --no-save ${checkout}`);
    expect(
      scriptOf(
        (
          await folderOf({ ...files, 'package.json': '{"devDependencies": {"sluice": "file:../sluice"}}' }).sluice(
            gitlab,
          )
        ).stdout,
      ),
    ).toBe('npm ci');
  });

  it('names the variables that a run needs, whatever the scheduler', async () => {
    const folder = folderOf({
      ...files,
      'reports/days.md': daily(
        'schedule: daily at 06:00\ndeliver: [{webhookFrom: HOOK_URL, secretFrom: HOOK_SECRET}]\nnotify: [{webhookFrom: PAGER_URL}]\n',
      ),
    });
    for (const scheduler of ['cron', 'systemd', 'gitlab']) {
      const { stdout } = await folder.sluice([
        'report',
        'schedule',
        'days',
        '--for',
        scheduler,
        '--backend',
        'platform',
        '--host',
        'https://code.example.org',
        '--project',
        '42',
      ]);
      expect(stdout).toMatch(/# (?:Set|Add) SLUICE_TOKEN, HOOK_URL, HOOK_SECRET, PAGER_URL /);
    }
  });

  it('lets no file name reach a terminal as a command', async () => {
    const folder = folderOf({
      ...files,
      'reports/\u001b[2Jdays.md': daily('schedule: daily at 06:00\n'),
      '\u001b]0;x\u0007.ndjson': fewEvents,
    });
    for (const scheduler of ['cron', 'systemd', 'gitlab']) {
      for (const [name, ...flags] of [
        ['\u001b[2Jdays'],
        ['days', '--events', '\u001b]0;x\u0007.ndjson'],
        ['days', '--state', 'a\u001bb'],
      ] as const) {
        const { code, stdout, stderr } = await folder.sluice([
          'report',
          'schedule',
          name,
          '--for',
          scheduler,
          '--host',
          'https://code.example.org',
          '--project',
          '42',
          ...flags,
        ]);
        expect([code, stdout]).toEqual([2, '']);
        expect(stderr.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
      }
    }
    const due = await folder.sluice(['report', 'run', '--due', '--events', 'few events.ndjson']);
    expect(`${due.stdout}${due.stderr}`.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  });

  it('takes the words of the front matter, and says where they cannot be kept', async () => {
    const folder = folderOf({
      ...files,
      'reports/none.md': daily(''),
      'reports/bad.md': daily('schedule: daily at noon\n'),
    });
    expect(await folder.sluice(['report', 'schedule', 'none'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('none.md has no schedule') as string,
    });
    expect(await folder.sluice(['report', 'schedule', 'bad'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"daily at noon" is not a valid schedule') as string,
    });
    expect(await folder.sluice(['report', 'check', 'bad'])).toMatchObject({
      code: 2,
      stdout: expect.stringContaining('reports/bad.md:3:11  error  "daily at noon" is not a valid schedule.') as string,
    });
    expect((await folder.sluice(['report', 'schedule', 'days', '--quiet'])).stdout).toContain(
      'sluice report run --due reports/days.md\n',
    );
  });
});
