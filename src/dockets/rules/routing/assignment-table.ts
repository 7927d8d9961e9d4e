/** Another system that knows who has a matter; `undefined` stands for any client or group. */
export interface AssignmentTable {
  readonly client: string | undefined;
  readonly technologyGroup: string | undefined;
  readonly url: string;
  /** `env:NAME` or `file:/path` of a bearer token; a matrix holds no secrets. */
  readonly credential: string | undefined;
}
