import type * as z from 'zod';
import type { DeepReadonly } from '../../ask/document/deep-readonly.ts';
import type { Delivery } from './delivery.ts';
import type { deliverySchema } from './delivery-schema.ts';

export type DeliveryFile = DeepReadonly<z.infer<typeof deliverySchema>>;

export function toDelivery({
  folder,
  formats,
  stdout,
  webhook,
  webhookFrom,
  body,
  secretFrom,
  email,
  from,
  into,
  cc,
  bcc,
  each,
  unsubscribe,
  link,
  command,
  keep,
  index,
}: DeliveryFile): Delivery {
  if (folder !== undefined) return { kind: 'folder', folder, formats: formats ?? ['html'], keep, index };
  if (stdout !== undefined) return { kind: 'stdout', format: stdout };
  if (command !== undefined) return { kind: 'command', command, formats: formats ?? ['html'] };
  if (email !== undefined)
    return {
      kind: 'email',
      to: toList(email) ?? [],
      from,
      into,
      cc: toList(cc),
      bcc: toList(bcc),
      each,
      unsubscribe,
      link,
    };
  const url =
    webhookFrom === undefined
      ? ({ kind: 'text', text: webhook ?? '' } as const)
      : ({ kind: 'variable', name: webhookFrom } as const);
  return { kind: 'webhook', url, body: body ?? 'json', secretFrom, link };
}

function toList(written: string | readonly string[] | undefined): readonly string[] | undefined {
  return typeof written === 'string' ? [written] : written;
}
