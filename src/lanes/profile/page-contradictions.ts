/** Contradictions between a driver, its places, its session and its way out. */
import { isSelector } from './page-parser.ts';
import { isRecord, type Issue } from './profile-issues.ts';
import { isPointer } from './schema-kit.ts';

type Document = Readonly<Record<string, unknown>>;

export function findPageContradictions(document: Document): readonly Issue[] {
  return [
    ...findDriverMismatch(document),
    ...findForeignPlaces(document),
    ...findHalfFields(document),
    ...findShortKeepAlive(document),
    ...findLoginWithoutCookie(document),
    ...findRotationWithoutTerms(document),
    ...findHandMismatch(document),
  ];
}

function findDriverMismatch(document: Document): readonly Issue[] {
  const { driver, form, submit, session } = document;
  if (driver === 'html-form') {
    const missing =
      form === undefined
        ? [{ pointer: '/form', expected: 'an object with the driver html-form', found: 'nothing' }]
        : [];
    // A form can only be sent with GET or POST, and GET has an address that proxies write down.
    const method = isRecord(submit) ? submit['method'] : undefined;
    if (method !== 'PUT') return missing;
    return [
      ...missing,
      { pointer: '/submit/method', expected: 'POST with html-form', found: '"PUT"' },
    ];
  }
  if (driver !== 'json-api') return [];
  const alone = (pointer: string) => ({
    pointer,
    expected: 'nothing with the driver json-api',
    found: 'an object',
  });
  return [
    ...(form === undefined ? [] : [alone('/form')]),
    ...(isRecord(session) && session['login'] !== undefined ? [alone('/session/login')] : []),
  ];
}

/** What only a lane without requests may leave out, and what would be a promise there that nobody keeps. */
function findHandMismatch(document: Document): readonly Issue[] {
  const { driver, receipt, byHand } = document;
  const has = (pointer: string, value: unknown, isWanted: boolean): readonly Issue[] => {
    if ((value !== undefined) === isWanted) return [];
    const found = isWanted ? 'nothing' : 'something';
    return [{ pointer, expected: `${isWanted ? 'a value' : 'nothing'} with this driver`, found }];
  };
  if (driver === 'person') {
    const never = ['form', 'status', 'session', 'egress', 'registry', 'synthetic'] as const;
    return [
      ...has('/byHand', byHand, true),
      ...never.flatMap((name) => has(`/${name}`, document[name], false)),
      ...(document['automation'] === 'allowed'
        ? [
            {
              pointer: '/automation',
              expected: 'forbidden or unknown with the driver person',
              found: '"allowed"',
            },
          ]
        : []),
    ];
  }
  if (driver !== 'json-api' && driver !== 'html-form') return [];
  const inReceipt = isRecord(receipt) ? receipt : {};
  return [
    ...has('/byHand', byHand, false),
    ...has('/submit', document['submit'], true),
    ...has('/received', document['received'], true),
    ...has('/receipt/statuses', inReceipt['statuses'], true),
    ...has('/receipt/numberAt', inReceipt['numberAt'], true),
  ];
}

/** Every place in an answer, with its pointer in the profile. */
function places(document: Document): readonly (readonly [pointer: string, place: unknown])[] {
  const inside = (section: string, field: string): unknown => {
    const part = document[section];
    return isRecord(part) ? part[field] : undefined;
  };
  const at = (section: string, field: string): readonly [string, unknown] => [
    `/${section}/${field}`,
    inside(section, field),
  ];
  return [
    at('receipt', 'numberAt'),
    at('received', 'submissionIdAt'),
    at('status', 'stateAt'),
    at('status', 'keyAt'),
    at('registry', 'stateAt'),
    at('registry', 'entityAt'),
    ...placesIn('/answers', document['answers']),
    ...placesIn('/receipt/echoes', inside('receipt', 'echoes')),
    ...placesIn('/status/echoes', inside('status', 'echoes')),
  ];
}

function placesIn(pointer: string, list: unknown): readonly (readonly [string, unknown])[] {
  if (!Array.isArray(list)) return [];
  return list.map((rule: unknown, index) => [
    `${pointer}/${index}/at`,
    isRecord(rule) ? rule['at'] : undefined,
  ]);
}

// A place of the wrong kind finds nothing, ever: each filing would be accepted and come back as unknown.
function findForeignPlaces(document: Document): readonly Issue[] {
  const { driver } = document;
  if (driver !== 'json-api' && driver !== 'html-form') return [];
  const isRight = driver === 'json-api' ? isPointer : isSelector;
  const expected =
    driver === 'json-api' ? 'a JSON pointer such as /receipt/number' : 'a CSS selector';
  return places(document).flatMap(([pointer, place]) =>
    typeof place !== 'string' || isRight(place) || (!isPointer(place) && !isSelector(place))
      ? []
      : [{ pointer, expected, found: JSON.stringify(place) }],
  );
}

function findHalfFields(document: Document): readonly Issue[] {
  const form = document['form'];
  const fields = isRecord(form) && Array.isArray(form['fields']) ? form['fields'] : [];
  const seen = new Set<unknown>();
  return fields.flatMap((field: unknown, index) => {
    if (!isRecord(field)) return [];
    const pointer = `/form/fields/${index}`;
    const isTwice = seen.has(field['name']);
    seen.add(field['name']);
    if (isTwice) {
      const found = JSON.stringify(field['name']);
      return [{ pointer: `${pointer}/name`, expected: 'each field once', found }];
    }
    if (Object.hasOwn(field, 'at') !== Object.hasOwn(field, 'text')) return [];
    const found = Object.hasOwn(field, 'at') ? 'both' : 'neither';
    return [{ pointer, expected: 'either at or text', found }];
  });
}

function findShortKeepAlive(document: Document): readonly Issue[] {
  const session = document['session'];
  if (!isRecord(session) || !isRecord(session['keepAlive'])) return [];
  const { everyMs } = session['keepAlive'];
  const { idleMs } = session;
  if (typeof everyMs !== 'number' || typeof idleMs !== 'number' || everyMs < idleMs) return [];
  const pointer = '/session/keepAlive/everyMs';
  return [{ pointer, expected: `less than idleMs (${idleMs})`, found: String(everyMs) }];
}

// Without a name nobody could notice that two filings share a session.
function findLoginWithoutCookie(document: Document): readonly Issue[] {
  const session = document['session'];
  if (!isRecord(session) || session['login'] === undefined) return [];
  const named = ['cookies', 'headers'].some((name) => {
    const list = session[name];
    return Array.isArray(list) && list.length > 0;
  });
  if (named) return [];
  const expected = 'the cookie or header that carries the session';
  return [{ pointer: '/session/cookies', expected, found: 'none' }];
}

// A block is waited out, never dodged.
function findRotationWithoutTerms(document: Document): readonly Issue[] {
  const egress = document['egress'];
  if (!isRecord(egress) || egress['afterBlock'] !== 'next' || egress['terms'] !== undefined) {
    return [];
  }
  const expected = 'where the portal’s terms allow another address, with afterBlock next';
  return [{ pointer: '/egress/terms', expected, found: 'nothing' }];
}
