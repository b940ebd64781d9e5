import { Command } from '../command/command.ts';
import type { ClickHouseInitFlags } from '../command/command-flags.ts';
import type { Start } from '../command/invocation.ts';

export function clickHouseCommand(start: Start): Command {
  const clickHouse = new Command('clickhouse')
    .summary('move events to a ClickHouse server')
    .description('Creates the table of events on a ClickHouse server, and loads the event store into it.')
    .examples(`
  $ sluice clickhouse init
  $ sluice clickhouse init --apply
  $ sluice clickhouse load`);
  for (const command of [initCommand(start), loadCommand(start)]) clickHouse.addCommand(command);
  return clickHouse;
}

function initCommand(start: Start): Command {
  const command = new Command('init')
    .summary('create the table of events')
    .description('Prints the SQL that creates the table of events. With --apply it runs the SQL on the server.')
    .option('--apply', 'run the SQL; an existing table stays as it is')
    .examples(`
  $ sluice clickhouse init > events.sql
  $ sluice clickhouse init --apply`);
  return start<ClickHouseInitFlags>(command, async () => (await import('../actions/clickhouse.ts')).runClickHouseInit);
}

function loadCommand(start: Start): Command {
  const command = new Command('load')
    .summary('load the event store')
    .description(
      'Sends the events of the store to the table, each once.\n' +
        'Events that the store no longer has are deleted from the table. Repeat the command after an interruption.',
    )
    .examples(`
  $ sluice clickhouse load
  $ sluice clickhouse load --store /srv/analytics/store`);
  return start(command, async () => (await import('../actions/clickhouse.ts')).runClickHouseLoad);
}
