import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';

const Manifest = Type.Object({
  format: Type.Literal(1),
  /** The PostgreSQL that wrote the cluster, such as 18.4. */
  version: Type.String(),
  major: Type.Integer(),
  /** PostgreSQL's own number for the cluster, compared after a restore. */
  systemIdentifier: Type.String(),
  firstWal: Type.String(),
  lastWal: Type.String(),
  directories: Type.Array(Type.String()),
  files: Type.Array(
    Type.Object({
      path: Type.String(),
      bytes: Type.Integer({ minimum: 0 }),
      sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    }),
  ),
});

export type Manifest = Static<typeof Manifest>;

/** Throws where it is none. */
export const parseManifest = (value: unknown): Manifest => Value.Parse(Manifest, value);
