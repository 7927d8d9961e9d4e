/**
 * Which references a profile, a mail server or a matrix may use. They come from the database, so that one person with a key
 * can write any of them; what they may lead to is the operator's word alone (see secret-list.ts).
 */

/** One entry of the operator's list. */
export interface AllowedSecret {
  readonly reference: string;
  /** `host` or `host:port`; undefined: any. */
  readonly hosts: readonly string[] | undefined;
  /** Further variables that a command is given. */
  readonly variables: readonly string[];
}

export interface SecretList {
  readonly path: string;
  readonly secrets: readonly AllowedSecret[];
}

type SecretVerdict =
  | { readonly kind: 'allowed'; readonly variables: readonly string[] }
  | { readonly kind: 'refused'; readonly why: string };

/**
 * Variables of Filewright itself, of the programs that it starts, of the platform and of its cloud: their values open more
 * than one portal, so that no reference leads to them, listed or not.
 */
const OWN_VARIABLES =
  /^(FILEWRIGHT_.*|DATABASE_URL|PG.*|NODE_.*|NPM_.*|(HTTPS?|ALL|NO|FTP|SOCKS)_PROXY|SSL_.*|OPENSSL_.*|SSLKEYLOGFILE|LD_.*|DYLD_.*|PATH|HOME|USER|LOGNAME|SHELL|PWD|OLDPWD|TMPDIR|HOSTNAME|LANG|LC_.*|AWS_.*|AZURE_.*|GOOGLE_.*|GCP_.*|GCLOUD_.*|ALIBABA_.*|KUBERNETES_.*|DOCKER_.*|CREDENTIALS_DIRECTORY|INVOCATION_ID|SSH_.*|GPG_.*|SUDO_.*|XDG_.*|DBUS_.*|GIT_.*|GITHUB_.*|CI|CI_.*|VAULT_.*)$/i;

/** The variables that every command is given: enough to be found and to find its own settings. */
export const COMMAND_VARIABLES = ['PATH', 'HOME', 'LANG'] as const;

/** For a value that is not read yet and says itself where it goes: the host is asked about afterwards. */
export const ANY_HOST = Symbol('any host');

/** `host`: where the value will be sent; undefined where it is sent nowhere. */
export function judgeSecret(
  reference: string,
  list: SecretList | undefined,
  host: string | undefined | typeof ANY_HOST,
): SecretVerdict {
  const isVariable = reference.startsWith('env:');
  if (isVariable && OWN_VARIABLES.test(reference.slice('env:'.length))) {
    return refused(
      'it names a variable of Filewright or of the platform, which no reference may lead to. Put the secret into a variable of its own, such as PORTAL_TOKEN',
    );
  }
  if (list === undefined) {
    if (isVariable) return { kind: 'allowed', variables: [] };
    return refused(
      'the operator has no list of secrets, and file: and command: references are used only from one. Have the operator add it to /etc/filewright/secrets.json, or to the file that FILEWRIGHT_SECRETS names',
    );
  }
  const entry = list.secrets.find((secret) => secret.reference === reference);
  if (entry === undefined) {
    return refused(
      `the operator’s list ${list.path} does not hold it. Have the operator add exactly this reference`,
    );
  }
  if (entry.hosts !== undefined && host !== ANY_HOST && !isBoundTo(entry.hosts, host)) {
    return refused(
      `the operator’s list ${list.path} allows it for ${entry.hosts.join(', ')} alone, not for ${host ?? 'this use'}`,
    );
  }
  return { kind: 'allowed', variables: entry.variables };
}

function isBoundTo(hosts: readonly string[], host: string | undefined): boolean {
  if (host === undefined) return false;
  const exact = host.toLowerCase();
  const bare = exact.replace(/:\d+$/, '');
  return hosts.some((one) => one.toLowerCase() === exact || one.toLowerCase() === bare);
}

function refused(why: string): SecretVerdict {
  return { kind: 'refused', why };
}
