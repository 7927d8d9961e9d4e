/** The pages of the acknowledgement endpoint: plain HTML that needs no script, no font and no picture. */
import { type Instant, plain, toRfc3339 } from '../core/index.ts';

export interface OpenMessage {
  /** One line that tells the reader which message it is; the store decides what may stand here. */
  readonly title: string;
  /** Further lines, such as the due date. */
  readonly lines: readonly string[];
  /** Who acknowledges by this link. */
  readonly reader: string;
  /** Which message it is stands here only for who signs in: a link is forwarded, scanned and left open on screens. */
  readonly needsSignIn?: boolean;
}

export interface Acknowledgement {
  readonly at: Instant;
  readonly by: string;
}

/** The form's one field. A bare POST, as some scanners try it, does not have it. */
export const CONFIRM_FIELD = 'acknowledge';
export const CONFIRM_VALUE = 'yes';
/** Of the form by which a person signs in. */
export const KEY_FIELD = 'key';

export function openPage({ title, lines, reader, needsSignIn }: OpenMessage): string {
  return page('Acknowledge a message', [
    `<p><strong>${escape(title)}</strong></p>`,
    ...lines.map((line) => `<p>${escape(line)}</p>`),
    ...(needsSignIn === true ? SIGN_IN : []),
    `<p>Press the button to confirm that you, ${escape(reader)}, have this message and take care of it. Until then it`,
    'is passed on to the next person.</p>',
    // Without an action the form goes to the page's own address: the token is written nowhere else.
    '<form method="post">',
    `<button type="submit" name="${CONFIRM_FIELD}" value="${CONFIRM_VALUE}">I have this message</button>`,
    '</form>',
  ]);
}

/** The key goes with this one request, and is kept nowhere: there is no session to steal. */
const SIGN_IN: readonly string[] = [
  '<p>This message is confidential. To see which one it is, sign in with your personal key, or look it up on the',
  'command line.</p>',
  '<form method="post">',
  `<label>Personal key <input type="password" name="${KEY_FIELD}" autocomplete="off" required></label>`,
  '<button type="submit">Show this message</button>',
  '</form>',
];

/** The same for a key that is unknown and for one whose owner may not see the message. */
export function notSignedInPage(): string {
  return page('Not signed in', [
    '<p>The key is not known here, or its owner may not see this message. Nothing was changed; open the link again to',
    'try another key.</p>',
  ]);
}

export function donePage(acknowledgement: Acknowledgement, isFirst: boolean): string {
  const { at, by } = acknowledgement;
  const when = `${escape(by)} on <time>${toRfc3339(at)}</time>`;
  return page(isFirst ? 'Acknowledged' : 'Acknowledged before', [
    isFirst
      ? `<p>The message was acknowledged by ${when}. It is not passed on any further.</p>`
      : `<p>This message was already acknowledged by ${when}. Nothing was changed now.</p>`,
  ]);
}

export function closedPage({ at, by }: Acknowledgement): string {
  return page('Closed', [
    `<p>The matter of this message was closed by ${escape(by)} on <time>${toRfc3339(at)}</time>. Nothing is left to`,
    'acknowledge, and nothing was changed now.</p>',
  ]);
}

/** For a link that is unknown, expired, mistyped or about something the reader may not see: always the same. */
export function noSuchPage(): string {
  return page('This link leads nowhere', [
    '<p>It may have expired or been copied only in part. If you expected a message here, ask the docketing',
    'department, or acknowledge it on the command line.</p>',
  ]);
}

export function refusedPage(): string {
  return page('Not acknowledged', [
    '<p>The request was not one that the button on the page makes. Open the link again and press the button.</p>',
  ]);
}

export function troublePage(): string {
  return page('Not now', [
    '<p>The message could not be looked up. Nothing was changed; please try again in a minute.</p>',
  ]);
}

function page(title: string, body: readonly string[]): string {
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${title}</title>`,
    '</head>',
    '<body>',
    `<h1>${title}</h1>`,
    ...body,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escape(text: string): string {
  return plain(text).replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
