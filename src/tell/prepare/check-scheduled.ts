import { errorIssue, type Issue, type IssuePath, warningIssue } from '../../ask/outcome.ts';
import { didYouMean } from '../../ask/suggest.ts';
import { quote } from '../../ask/text.ts';
import { type Delivery, toDelivery } from '../delivery/delivery.ts';
import type { Block, FrontMatter } from '../notebook/notebook.ts';
import { alertsOf, type WrittenAlert } from '../notebook/read-alert.ts';
import type { NotebookSurroundings } from '../ports.ts';

type Written = FrontMatter['deliver'];

/**
 * Checks what only a scheduled run or a delivery needs. Issues: `missing-param` for a parameter without a value in
 * scheduled runs, `command-missing`, `mailer-missing`, `nobody-notified`.
 */
export function checkScheduled(
  frontMatter: FrontMatter,
  blocks: readonly Block[],
  { canMail, commands, deliveries }: NotebookSurroundings,
): readonly Issue[] {
  const { schedule, deliver, notify } = frontMatter;
  const watched = blocks.flatMap((block, index) =>
    block.kind === 'cell' ? alertsIn(block.data).map((alert) => ({ to: alert.notify, at: ['blocks', index] })) : [],
  );
  const alerts = blocks.flatMap((block, index) =>
    block.kind === 'cell' && namesAlert(block.cell, block.data) ? [index] : [],
  );
  const isMailed = canMail === false && (schedule !== undefined || deliver !== undefined);
  return [
    ...missingParams(frontMatter),
    ...missingCommands(deliver, commands, (index) => ['deliver', index, 'command']),
    ...missingCommands(notify, commands, (index) => ['notify', index, 'command']),
    ...watched.flatMap(({ to, at }) => missingCommands(to, commands, () => at)),
    ...(isMailed
      ? [
          ...missingMailers(deliver, deliveries?.deliver, 'deliver'),
          ...missingMailers(notify, alerts.length > 0 ? deliveries?.notify : [], 'notify'),
          ...watched.flatMap(({ to, at }) => missingMailers(to, [], 'notify', at)),
        ]
      : []),
    ...(notify === undefined && deliveries?.notify.length === 0 ? alerts.map(nobodyNotified) : []),
  ];
}

function missingParams({ schedule, params }: FrontMatter): readonly Issue[] {
  const asked = schedule === undefined ? [] : params.filter((param) => param.default === undefined);
  return asked.map(({ name }) =>
    errorIssue('missing-param', `The report has a schedule, but its parameter ${quote(name)} has no default.`, {
      path: ['params', name],
      hint: 'Add a default, such as last closed month: a scheduled run has no --param.',
    }),
  );
}

function missingCommands(
  written: Written,
  commands: readonly string[] | undefined,
  pathOf: (index: number) => IssuePath,
): readonly Issue[] {
  return (written ?? []).flatMap(({ command }, index) =>
    command === undefined || commands === undefined || commands.includes(command)
      ? []
      : [
          errorIssue('command-missing', `The configuration has no command ${quote(command)}.`, {
            path: pathOf(index),
            hint: didYouMean(command, commands) ?? 'Add it to sluice.yaml: `commands: {NAME: COMMAND}`.',
          }),
        ],
  );
}

/** Emails of the report, or else of the configuration, that nothing would send. */
function missingMailers(
  written: Written,
  usual: readonly Delivery[] | undefined,
  key: string,
  at?: IssuePath,
): readonly Issue[] {
  return (written?.map(toDelivery) ?? usual ?? []).flatMap((delivery, index) =>
    delivery.kind === 'email' && delivery.into === undefined
      ? [
          errorIssue('mailer-missing', 'The report is sent by email, but no mailer is configured.', {
            path: at ?? (written ? [key, index, 'email'] : []),
            hint: 'Add `mailer: sendmail -t` to the configuration, or `into: outbox` to the delivery.',
          }),
        ]
      : [],
  );
}

function nobodyNotified(index: number): Issue {
  return warningIssue('nobody-notified', 'The cell has an alert, but notify is empty.', {
    path: ['blocks', index],
    hint: 'Add `notify: [{email: oncall@example.org}]` to the front matter or the configuration.',
  });
}

/** True if an alert needs a receiver that the cell does not name. */
function namesAlert(cell: string, data: unknown): boolean {
  return cell === 'check'
    ? JSON.stringify(data ?? null).includes('"severity":"alert"')
    : alertsIn(data).some(({ notify }) => notify === undefined);
}

function alertsIn(data: unknown): readonly WrittenAlert[] {
  return typeof data === 'object' && data !== null ? alertsOf(data) : [];
}
