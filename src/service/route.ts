/** A route as data: which act it is, where it is, what it takes. The server asks for the act's rights before it reads a body. */
import type { Static, TObject, TProperties, TSchema } from 'typebox';
import type { ActName, PersonActor } from '../access/index.ts';
import type { Filewright } from '../filewright.ts';

/** A file that came as the body, as it lies on the disk until the answer is made. */
export interface Upload {
  readonly path: string;
  readonly sha256: string;
}

export interface Asked<P = unknown, Q = unknown, B = unknown> {
  readonly app: Filewright;
  readonly actor: PersonActor;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** Of a route that takes a file. */
  readonly upload: Upload;
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below /api/v1, as in OpenAPI: `/filings/{id}`. */
  readonly path: string;
  /** Undefined where nothing stored is read or kept: then it is enough to be signed in. */
  readonly act: ActName | undefined;
  /** One line, in the words of the command line. */
  readonly summary: string;
  readonly noun: string;
  readonly params: TObject;
  readonly query: TObject;
  readonly body: TSchema | undefined;
  /** Takes a file in one of `UPLOADS` instead of JSON. */
  readonly takesFile: boolean;
  /** The answer is a page of a list: `items`, and `next` where there is more. */
  readonly isList: boolean;
  readonly run: (asked: Asked) => Promise<unknown>;
}

/** By their media type: how the file is called, from which the importers know its format. */
export const UPLOADS: Readonly<Record<string, string>> = {
  'text/csv': 'rows.csv',
  'application/x-ndjson': 'rows.ndjson',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'rows.xlsx',
};

interface Written<P extends TProperties, Q extends TProperties, B extends TSchema> {
  readonly act?: ActName;
  readonly summary: string;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly takesFile?: true;
  readonly run: (
    asked: Asked<Static<TObject<P>>, Static<TObject<Q>>, Static<B>>,
  ) => Promise<unknown>;
}

type Make = <P extends TProperties, Q extends TProperties, B extends TSchema>(
  path: string,
  written: Written<P, Q, B>,
) => Route;

export interface RouteKit {
  readonly get: Make;
  /** Of many: answers with a page. */
  readonly list: Make;
  readonly post: Make;
  readonly remove: Make;
}

/** For the routes of one noun. `Type` comes from who calls: no command loads the schemas that does not serve. */
export function routesOf(noun: string, object: (properties: TProperties) => TObject): RouteKit {
  const make =
    (method: Route['method'], isList = false): Make =>
    (path, { act, summary, params, query, body, takesFile = false, run }) => ({
      method,
      path,
      act,
      summary,
      noun,
      params: object(params ?? {}),
      query: object(query ?? {}),
      body,
      takesFile,
      isList,
      // Called with what the schemas above have checked.
      run: run as Route['run'],
    });
  return { get: make('GET'), list: make('GET', true), post: make('POST'), remove: make('DELETE') };
}
