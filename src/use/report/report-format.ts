import { badWith, good, type Outcome } from '../../ask/outcome.ts';
import { didYouMean } from '../../ask/suggest.ts';
import { quote } from '../../ask/text.ts';
import { type FormatName, type ReportFormat, reportFormats, toFileExtension } from '../../show/format-name.ts';
import type { Report } from '../../tell/report/report.ts';
import { findFonts } from '../output/fonts.ts';
import type { Envelope } from './envelope.ts';
import type { Printing } from './print-pdf.ts';

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

/** The ending of a file with a report or with usage: `.md`. */
export function toReportEnding(format: FormatName | ReportFormat): string {
  return format === 'eml' || format === 'pdf' ? `.${format}` : toFileExtension(format);
}

/** A rendered report: its text or bytes, and files beside it under the names it refers to. */
export interface RenderedReport {
  readonly main: string | Uint8Array;
  readonly beside: readonly { readonly name: string; readonly contents: string | Uint8Array }[];
  /** Characters that no font has; pictures show them as empty boxes. */
  readonly missing?: readonly string[] | undefined;
}

export interface RenderOptions {
  /** Name of the file without extension; undefined on stdout, which cannot have files beside it. */
  readonly base: string | undefined;
  /** Headers of an email; for `eml` only. */
  readonly envelope?: Envelope | undefined;
  /** For `pdf` only. */
  readonly printing: Printing;
}

/** Errors: `font-not-found` if an email has pictures, and those of `printPdf`. */
export async function renderReport(
  report: Report,
  format: ReportFormat,
  { base, envelope, printing }: RenderOptions,
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
    case 'pdf':
      return { main: await toPdf(report, printing), beside: [] };
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

async function toPdf(report: Report, printing: Printing): Promise<Uint8Array> {
  const { writeReportHtml } = await import('../../tell/report/report-to-html.ts');
  const { printPdf } = await import('./print-pdf.ts');
  return printPdf(await writeReportHtml(report, { paper: 'A4' }), report.asOf, printing);
}

/** Name of the folder with a report's pictures, beside the report. */
export function toPictureFolder(base: string): string {
  return `${base}.assets`;
}
