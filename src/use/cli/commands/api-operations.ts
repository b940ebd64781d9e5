import { Option } from 'commander';
import * as z from 'zod';
import { isChange, type Operation, type Parameter, parametersOf, type Role } from '../../../ask/platform/operation.ts';
import { bareSchema, isStructure, markOf } from '../../../ask/platform/parameter.ts';
import { catalogue } from '../../../ask/platform/catalogue.ts';
import { holdsSecret, typeName } from '../../platform/list-operations.ts';
import { Command } from '../command/command.ts';
import { collect, recordFormats } from '../command/flag-values.ts';
import type { ApiFlags } from '../command/command-flags.ts';
import type { Start } from '../command/invocation.ts';
import type { AddOperations } from './api.ts';

const roles: Readonly<Record<Role, string>> = {
  reporter: 'the Reporter role',
  maintainer: 'the Maintainer role',
  owner: 'the Owner role',
  administrator: 'an administrator',
};

/** A command for each operation, with a flag for each parameter. `taken`: flags that have another meaning. */
export function operationCommands(taken: ReadonlySet<string>): AddOperations {
  return (api, start) => {
    for (const [resource, operations] of Object.entries(catalogue)) {
      const command = new Command(toFlagName(resource))
        .summary(Object.keys(operations).map(toFlagName).join(', '))
        .description(`Operations of ${toFlagName(resource)}.`);
      for (const [name, asked] of Object.entries(operations as Readonly<Record<string, Operation>>))
        command.addCommand(operationCommand({ resource, name, asked }, taken, start));
      api.addCommand(command);
    }
  };
}

/** Writes `protectedBranches` and `tag_name` in the style of flags. */
function toFlagName(name: string): string {
  return name.replaceAll('_', '-').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function operationCommand(
  named: { readonly resource: string; readonly name: string; readonly asked: Operation },
  taken: ReadonlySet<string>,
  start: Start,
): Command {
  const { name, asked } = named;
  const command = new Command(toFlagName(name)).summary(asked.about).description(describe(asked));
  const own = ownFlags(asked);
  for (const option of own) command.addOption(option);
  const all = new Set([...taken, ...own.map((option) => option.name()), 'help', 'version']);
  const parameters = parametersOf(asked);
  const flagged = parameters.filter((each) => !all.has(toFlagName(each.name)));
  const options = new Map(flagged.map((each) => [each.name, toOption(each)]));
  for (const option of options.values()) command.addOption(option);
  const others = parameters.filter((each) => !options.has(each.name));
  if (others.length > 0) command.addHelpText('after', `\n${describeOthers(others)}`);
  return start<ApiFlags>(command, async () => {
    const { runApi } = await import('../actions/api.ts');
    const values = command.opts<Readonly<Record<string, readonly string[] | true | undefined>>>();
    const typed = [...options].flatMap(([parameter, option]) =>
      // A switch without a value is true.
      [values[option.attributeName()] ?? []].flat().map((text) => ({ name: parameter, text: String(text) })),
    );
    const clashing = others.map((each) => each.name).filter((each) => taken.has(toFlagName(each)));
    return (invocation) => runApi({ ...named, typed, clashing }, invocation);
  });
}

function describe(asked: Operation): string {
  const { method, path, about, role, tier, selfManaged, beta, deprecated, scopes } = asked;
  const needs = [
    ...(role === undefined ? [] : [roles[role]]),
    ...(scopes === undefined ? [] : [`the scope ${scopes.join(' or ')}`]),
    ...(tier === undefined ? [] : [tier === 'top' ? 'the highest tier' : 'a paid tier']),
    ...(selfManaged ? ['a self-managed instance'] : []),
  ];
  return [
    `${about.charAt(0).toUpperCase()}${about.slice(1)}.`,
    `${method} ${path}`,
    ...(needs.length === 0 ? [] : [`It requires ${needs.join(', ')}.`]),
    ...(beta ? ['The platform may still change it.'] : []),
    ...(deprecated === undefined ? [] : [`Deprecated. ${deprecated}`]),
  ].join('\n');
}

/** Flags of sluice; they take precedence over parameters of the same name. */
function ownFlags(asked: Operation): readonly Option[] {
  const isDownload = asked.download !== undefined;
  return [
    new Option('-p, --param <name=value>', 'parameter by its name in the API, such as filter[key]=value').argParser(
      collect,
    ),
    ...(isDownload
      ? [new Option('-o, --output <file>', 'file to write; an interrupted download is resumed')]
      : [
          new Option('-f, --format <name>', 'output format (default: table)').choices(recordFormats),
          new Option('-o, --output <file>', 'write to a file (its ending sets the format)'),
          new Option('--reveal', 'print secrets in results, not …'),
        ]),
    ...(asked.pagination === undefined ? [] : [new Option('--all', 'read all pages, not the first alone')]),
    ...(asked.states === undefined && asked.starts === undefined
      ? []
      : [new Option('--follow', 'wait until it is finished')]),
    ...(isChange(asked) ? [new Option('--yes', 'do not ask before something is changed')] : []),
    new Option('--dry-run', 'print the request without sending it; secrets as …'),
    new Option('--token-file <file>', 'file that holds the access token'),
  ];
}

function toOption(parameter: Parameter): Option {
  const flag = toFlagName(parameter.name);
  const bare = bareSchema(parameter.schema);
  const value = bare instanceof z.ZodBoolean ? '[true|false]' : `<${holder(parameter)}>`;
  const option = new Option(`--${flag} ${value}`, describeParameter(parameter)).argParser(collect);
  if (bare instanceof z.ZodEnum) {
    const isNullable = parameter.schema.safeParse(null).success;
    const choices = [...Object.values(bare.def.entries).map(String), ...(isNullable ? ['null'] : [])];
    option.choices(choices);
    // Commander's choices would overwrite earlier values.
    const check = option.parseArg as unknown as (text: string, before?: unknown) => string;
    option.argParser((text, before: readonly string[] | undefined) => collect(check(text, undefined), before));
  }
  return option;
}

function holder({ schema, name }: Parameter): string {
  const type = typeName({ schema });
  if (type === 'file') return 'file';
  if (type === 'boolean') return 'true|false';
  if (isStructure(schema)) return 'json';
  return /^(?:integer|date|datetime)$/.test(type) ? type : name.endsWith('id') ? 'id' : 'value';
}

function describeParameter(parameter: Parameter): string {
  const { schema, required, kinds } = parameter;
  const { about, default: usual, tier, deprecated } = markOf(schema);
  const notes = [
    ...(required ? ['required'] : []),
    ...(usual === undefined ? [] : [`default: ${JSON.stringify(usual)}`]),
    ...(bareSchema(schema) instanceof z.ZodArray ? ['repeatable'] : []),
    ...(holdsSecret(parameter) ? ['secret: @FILE, env:NAME or -'] : []),
    ...(tier === undefined ? [] : [tier === 'top' ? 'highest tier' : 'paid tier']),
    ...(kinds === undefined ? [] : [`for ${kinds.join(', ')}`]),
    ...(deprecated === undefined ? [] : [`deprecated: ${deprecated}`]),
  ];
  return [about, notes.length === 0 ? undefined : `(${notes.join('; ')})`]
    .filter((part) => part !== undefined)
    .join(' ');
}

function describeOthers(parameters: readonly Parameter[]): string {
  const lines = parameters.map((each) => `  -p ${each.name}=${holder(each)}  ${describeParameter(each)}`.trimEnd());
  return ['Parameters whose flag means something else:', ...lines].join('\n');
}
