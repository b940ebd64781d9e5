import type * as z from 'zod';
import type { deliverySchema } from './delivery-schema.ts';
import type { Delivery } from './delivery.ts';

export type DeliveryFile = z.infer<typeof deliverySchema>;

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
}: DeliveryFile): Delivery {
  if (folder !== undefined) return { kind: 'folder', folder, formats: formats ?? ['html'] };
  if (stdout !== undefined) return { kind: 'stdout', format: stdout };
  if (email !== undefined) return { kind: 'email', to: typeof email === 'string' ? [email] : email, from, into };
  const url =
    webhookFrom === undefined
      ? ({ kind: 'text', text: webhook ?? '' } as const)
      : ({ kind: 'variable', name: webhookFrom } as const);
  return { kind: 'webhook', url, body: body ?? 'json', secretFrom };
}
