import { createHash } from 'node:crypto';
import MailComposer from 'nodemailer/lib/mail-composer';
import { escapeXml } from '../../show/labels/escape-xml.ts';
import type { FontFiles } from '../../show/fonts/fonts.ts';
import { toNeededFonts } from '../../show/fonts/font-runs.ts';
import { toPng } from '../../show/picture/to-png.ts';
import { emailStyle, inlineStyles } from '../../tell/report/email-style.ts';
import { type ReportEmail, toReportEmail } from '../../tell/report/report-to-email.ts';
import type { Report } from '../../tell/report/report.ts';
import { type Envelope, domainOf } from './envelope.ts';
import { writeResult } from '../../show/write-result.ts';
import type { AttachedFormat } from '../../tell/delivery/delivery.ts';

/**
 * Writes a report as an email (RFC 5322, MIME): plain text and HTML with embedded pictures. Date, ID and boundaries
 * derive from the report, so that the same report gives the same bytes. Pass an envelope from `readEnvelope`.
 * `onMissing` receives characters that pictures show as empty boxes.
 */
export async function writeEml(
  report: Report,
  fonts: FontFiles,
  { from, to = [], cc, bcc, subject, unsubscribe, web, keepBcc, attach = [], pdf }: Envelope = {},
  onMissing?: (characters: readonly string[]) => void,
): Promise<Uint8Array> {
  const email = withWebVersion(await toReportEmail(report), web);
  const pictures = [];
  for (const { cid, svg } of email.pictures) pictures.push({ cid, png: Buffer.from(await toPng(svg, { fonts })) });
  const missing = new Set(email.pictures.flatMap(({ svg }) => toNeededFonts(svg).missing));
  if (missing.size > 0) onMissing?.([...missing].sort());
  const said = {
    from,
    to: to.join(', ') || undefined,
    ...(cc ? { cc: cc.join(', ') } : {}),
    ...(bcc ? { bcc: bcc.join(', ') } : {}),
    subject: subject ?? email.subject,
    headers: unsubscribe === undefined ? undefined : { 'List-Unsubscribe': `<${unsubscribe}>` },
  };
  const hash = createHash('sha256').update(JSON.stringify([said, report.asOf, email.text, email.html]));
  for (const { png } of pictures) hash.update(png);
  const files = [
    ...(pdf ? [{ filename: `${report.name}.pdf`, contentType: 'application/pdf', content: Buffer.from(pdf) }] : []),
    ...(await attachFigures(
      report,
      attach.filter((format) => format !== 'pdf'),
    )),
  ];
  for (const { filename, content } of files) hash.update(filename).update(content);
  const number = hash.digest('hex').slice(0, 32);
  const message = new MailComposer({
    ...said,
    // No absence notice answers it (RFC 3834).
    headers: { 'Auto-Submitted': 'auto-generated', ...said.headers },
    date: new Date(report.asOf),
    messageId: `<${number}@${(from === undefined ? undefined : domainOf(from)) ?? 'sluice.invalid'}>`,
    text: email.text,
    html: email.html,
    attachments: [
      ...pictures.map(({ cid, png }) => ({
        cid,
        content: png,
        contentType: 'image/png',
        contentDisposition: 'inline',
        filename: `${cid.split('@')[0]}.png`,
      })),
      ...files,
    ],
    baseBoundary: number,
    newline: 'win',
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile();
  // A mailer that reads recipients from the email removes them itself.
  if (bcc && keepBcc) message.keepBcc = true;
  return new Uint8Array(await message.build());
}

function withWebVersion(email: ReportEmail, web: string | undefined): ReportEmail {
  if (web === undefined) return email;
  const link = inlineStyles(`<p>Read this report <a href="${escapeXml(web)}">on the web</a>.</p>`, emailStyle);
  return {
    ...email,
    text: `${email.text.trimEnd()}\n\nOn the web: ${web}\n`,
    html: email.html.replace('</h1>', () => `</h1>${link}`),
  };
}

interface Attachment {
  readonly filename: string;
  readonly contentType: string;
  readonly content: Buffer;
}

const contentTypes = { csv: 'text/csv; charset=utf-8', parquet: 'application/vnd.apache.parquet' } as const;

/** The rows of every cell as files: each answer once, with all its rows, under the name or title of its cell. */
async function attachFigures(
  report: Report,
  formats: readonly Exclude<AttachedFormat, 'pdf'>[],
): Promise<readonly Attachment[]> {
  const attached: Attachment[] = [];
  const taken = new Set<string>();
  for (const block of report.blocks) {
    if (block.kind !== 'cell') continue;
    const results = [...new Set(block.parts.map(({ result }) => result))];
    for (const result of results) {
      const title = block.parts.find((part) => part.result === result)?.title;
      const named = toFileName(block.name ?? title ?? block.title ?? block.cell);
      let name = named;
      for (let number = 2; taken.has(name); number += 1) name = `${named}-${number}`;
      taken.add(name);
      for (const format of new Set(formats)) {
        const chunks: Uint8Array[] = [];
        for await (const chunk of writeResult(result, format)) chunks.push(Buffer.from(chunk));
        attached.push({
          filename: `${name}.${format}`,
          contentType: contentTypes[format],
          content: Buffer.concat(chunks),
        });
      }
    }
  }
  return attached;
}

function toFileName(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replace(/[^\w]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60);
  return plain === '' ? 'figures' : plain;
}
