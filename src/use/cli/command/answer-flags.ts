import { type Command, Option } from 'commander';
import { type ChartKind, chartKinds } from '../../../ask/chart/chart-preference.ts';
import type { ThemeName } from '../../../show/chart/palette.ts';
import { type PictureProtocol, pictureProtocols } from '../../../show/terminal/chart/write-picture.ts';
import { collectNames } from './flag-values.ts';

/** Flags of commands that show one answer. */
export interface AnswerFlags extends ChartFlags {
  readonly format?: readonly string[];
  readonly output?: string;
  readonly all?: boolean;
  readonly withProvenance?: boolean;
  readonly rawCsv?: boolean;
}

export function addAnswerFlags<Made extends Command>(command: Made): Made {
  return command
    .addOption(
      new Option(
        '-f, --format <names>',
        'table, chart, json, ndjson, csv, tsv, markdown, html, xlsx, parquet, arrow, vega-lite, svg or png; ' +
          'several with commas and -o DIR',
      ).argParser(collectNames),
    )
    .option(
      '-o, --output <file>',
      'write to a file (its ending sets the format; ' +
        '.gz or .zst compresses it), or to a folder for several formats; - is stdout',
    )
    .addOption(
      new Option('--chart <kind>', 'chart type (default: chosen from the data)').choices(chartFlagChoices.chart),
    )
    .addOption(new Option('--theme <name>', 'background of the chart').choices(chartFlagChoices.theme))
    .option('--ascii', 'draw terminal charts with ASCII characters only')
    .addOption(
      new Option('--picture <how>', 'show charts as images, if the terminal supports it').choices(
        chartFlagChoices.picture,
      ),
    )
    .option('--all', 'show all rows in a table, not one screen of them')
    .option('--raw-csv', 'csv and tsv for programs: keep every character, and no protection against formulas')
    .option('--with-provenance', 'add notes and the source of every number to JSON');
}

/** Flags of commands that draw charts. */
export interface ChartFlags {
  readonly chart?: ChartKind;
  readonly theme?: ThemeName;
  readonly ascii?: boolean;
  readonly picture?: PictureProtocol | 'auto';
}

const chartFlagChoices = {
  chart: chartKinds,
  theme: ['light', 'dark'],
  picture: ['auto', ...pictureProtocols],
} as const;
