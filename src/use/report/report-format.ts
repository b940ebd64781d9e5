import { badWith, good, type Outcome } from '../../ask/outcome.ts';
import { didYouMean } from '../../ask/suggest.ts';
import { quote } from '../../ask/text.ts';
import { toFileExtension } from '../../show/format-name.ts';
import type { Report } from '../../tell/report/report.ts';
import { findFonts } from '../output/fonts.ts';
import type { Envelope } from './envelope.ts';

/** The forms that a report can be written in. */
export const reportFormats = ['markdown', 'html', 'json', 'eml'] as const;

/** A format of a report. */
export type ReportFormat = (typeof reportFormats)[number];

const shortNames: Readonly<Record<string, ReportFormat>> = { md: 'markdown' };

/** A format by its name or short name (`md`), in any case. Issue: `unknown-format`. */
export function readReportFormat(text: string): Outcome<ReportFormat> {
  const wanted = text.trim().toLowerCase();
  const name =
    reportFormats.find((known) => known === wanted) ??
    (Object.hasOwn(shortNames, wanted) ? shortNames[wanted] : undefined);
  if (name) return good(name);
  const all = `The formats of a report are ${reportFormats.join(', ')}.`;
  const close = didYouMean(wanted, [...reportFormats, ...Object.keys(shortNames)]);
  return badWith('unknown-format', `${quote(text)} is not a format for reports.`, {
    path: ['--format'],
    hint: close ? `${close} ${all}` : all,
  });
}

export function toReportEnding(format: ReportFormat): string {
  return format === 'eml' ? '.eml' : toFileExtension(format);
}

/** A report in a format: the text or bytes, and files that lie beside it, by the names that it calls them. */
export interface RenderedReport {
  readonly main: string | Uint8Array;
  readonly beside: readonly { readonly name: string; readonly contents: string | Uint8Array }[];
  /** Characters for which pictures have empty boxes, because no font has them. */
  readonly missing?: readonly string[] | undefined;
}

export interface RenderOptions {
  /** What the file will be called, without its ending; undefined on stdout, where nothing can lie beside. */
  readonly base: string | undefined;
  /** What stands on a letter: `eml` only. */
  readonly envelope?: Envelope | undefined;
}

/** Errors: `font-not-found` where a letter has pictures. */
export async function renderReport(
  report: Report,
  format: ReportFormat,
  { base, envelope }: RenderOptions,
): Promise<RenderedReport> {
  switch (format) {
    case 'markdown': {
      const { writeReportMarkdown } = await import('../../tell/report/report-to-markdown.ts');
      if (base === undefined) return { main: writeReportMarkdown(report), beside: [] };
      const { drawPictures } = await import('../../tell/report/report-pictures.ts');
      const pictures = await drawPictures(report);
      const folder = toPictureFolder(base);
      const drawn = [...pictures.values()].filter((picture) => 'name' in picture);
      return {
        main: writeReportMarkdown(report, { pictures, folder }),
        beside: drawn.map(({ name, svg }) => ({ name: `${folder}/${name}`, contents: svg })),
      };
    }
    case 'html': {
      const { writeReportHtml } = await import('../../tell/report/report-to-html.ts');
      return { main: await writeReportHtml(report), beside: [] };
    }
    case 'json': {
      const { writeReportJson } = await import('../../tell/report/report-to-json.ts');
      return { main: writeReportJson(report), beside: [] };
    }
    case 'eml': {
      const { writeEml } = await import('./write-eml.ts');
      const missing: string[] = [];
      return {
        main: await writeEml(report, findFonts(), envelope, (characters) => missing.push(...characters)),
        beside: [],
        missing,
      };
    }
  }
}

/** The folder of a report's pictures, beside it. */
export function toPictureFolder(base: string): string {
  return `${base}.assets`;
}
