/** What the document says of every answer. The schemas of requests are those that validate them. */
import { Type } from 'typebox';
import { VERSION } from '../../core/index.ts';

const ITEMS = Type.Array(Type.Unknown());

const PAGE = Type.Object({
  items: ITEMS,
  next: Type.Optional(Type.String({ description: 'send it as cursor for what follows' })),
});
const OBJECT = Type.Record(Type.String(), Type.Unknown());

export const problemSchema = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    code: Type.String(),
    detail: Type.String(),
    remedy: Type.String(),
    instance: Type.String(),
    errors: Type.Optional(
      Type.Array(Type.Object({ pointer: Type.String(), detail: Type.String() })),
    ),
  },
  { description: 'RFC 9457' },
);

export function answerSchema(isList: boolean) {
  return isList ? PAGE : OBJECT;
}

/** Made anew for each server, which writes into it. */
export const documentOf = () => ({
  openapi: {
    openapi: '3.1.0' as const,
    info: {
      title: 'Filewright',
      version: VERSION,
      description:
        'Every request that changes something takes an Idempotency-Key: the same key with the same request gets the first answer, and nothing happens twice.',
    },
    components: {
      securitySchemes: {
        session: { type: 'apiKey' as const, in: 'cookie' as const, name: '__Host-filewright' },
        token: { type: 'http' as const, scheme: 'bearer' },
      },
    },
    security: [{ session: [] }, { token: [] }],
  },
});
