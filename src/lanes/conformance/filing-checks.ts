/** Checks around the synthetic filing: receipt, repeat, status, conflict, limits. */
import type { Exchange, JsonValue, Profile, StatusAnswer, Verdict } from '../../core/index.ts';
import { reasonOfFailure } from './access-checks.ts';
import {
  type Check,
  type CheckOutcome,
  describe,
  failed,
  type Findings,
  passed,
  skipped,
} from './check.ts';
import type { Inspector } from './inspector.ts';

const NOTHING_FILED = 'no synthetic filing was accepted';

const unknownKey: Check = {
  name: 'status-unknown',
  claim: 'The status endpoint reports a key that it does not know as the profile says.',
  async run(inspector) {
    if (inspector.profile.status === undefined) return skipped('the profile has no status');
    const answer = await inspector.ask(inspector.key('unknown'));
    if (answer.kind === 'not_found') return passed('not found');
    return statusFault(answer) ?? failed('STATUS_INVENTS', `an unknown key is ${describe(answer)}`);
  },
};

const submit: Check = {
  name: 'submit',
  claim: 'The synthetic filing is accepted with a receipt of the agreed shape.',
  async run(inspector, findings) {
    const { profile } = inspector;
    if (profile.synthetic === undefined) return skipped('the profile has no synthetic filing');
    const key = inspector.key('first');
    const { verdict, exchange } = await inspector.file(key, inspector.payload());
    const ended = await settled(inspector, key, verdict);
    if (ended.kind !== 'accepted') return submitFault(inspector, ended, exchange);
    findings.filed = { key, receipt: ended.receipt };
    return passed(describe(ended));
  },
};

const secondKey: Check = {
  name: 'second-key',
  claim:
    'Another key is another filing with a receipt of its own, or a duplicate where the profile says so.',
  async run(inspector, { filed }) {
    if (filed === undefined) return skipped(NOTHING_FILED);
    const windowMs = inspector.profile.limits?.duplicateWindowMs ?? 0;
    const key = inspector.key('second');
    const { verdict, exchange } = await inspector.file(key, inspector.payload());
    const ended = await settled(inspector, key, verdict);
    if (windowMs > 0) {
      if (ended.kind === 'conflict' || ended.kind === 'rejected') return passed(describe(ended));
      return ended.kind === 'accepted'
        ? failed('DUPLICATE_ACCEPTED', 'the same entity was accepted twice inside the window')
        : submitFault(inspector, ended, exchange);
    }
    if (ended.kind !== 'accepted') return submitFault(inspector, ended, exchange);
    return ended.receipt.number === filed.receipt.number
      ? failed('RECEIPT_NOT_UNIQUE', `two filings have the receipt ${filed.receipt.number}`)
      : passed('two filings, two receipts');
  },
};

const repeat: Check = {
  name: 'repeat',
  claim: 'The same filing with the same key is not a second filing.',
  async run(inspector, { filed }) {
    if (filed === undefined) return skipped(NOTHING_FILED);
    if (inspector.profile.idempotency.honouredMs === 0) {
      return skipped('the profile does not say that keys are honored');
    }
    const { verdict } = await inspector.file(filed.key, inspector.payload());
    if (verdict.kind === 'conflict') return conflict(inspector, filed);
    const ended = await settled(inspector, filed.key, verdict);
    const isSame = ended.kind === 'accepted' && ended.receipt.number === filed.receipt.number;
    return isSame
      ? passed('the same receipt again')
      : failed('IDEMPOTENCY_NOT_HONOURED', `the repeat was ${describe(ended)}`);
  },
};

const keyReuse: Check = {
  name: 'key-reuse',
  claim: 'The same key with another payload is refused.',
  async run(inspector, { filed }) {
    if (filed === undefined) return skipped(NOTHING_FILED);
    if (inspector.profile.idempotency.honouredMs === 0) {
      return skipped('the profile does not say that keys are honored');
    }
    const { verdict } = await inspector.file(
      filed.key,
      inspector.payload({ note: 'another text' }),
    );
    return verdict.kind === 'accepted' || verdict.kind === 'received'
      ? failed('KEY_REUSE_ACCEPTED', `another payload under the same key was ${describe(verdict)}`)
      : passed(describe(verdict));
  },
};

const knownKey: Check = {
  name: 'status-known',
  claim: 'The status endpoint finds the filing by its key, with the same receipt.',
  async run(inspector, { filed }) {
    const { profile, waitMsMax } = inspector;
    if (filed === undefined) return skipped(NOTHING_FILED);
    if (profile.status === undefined) return skipped('the profile has no status');
    const lagMs = profile.status.visibilityLagMs;
    const isVisible = (answer: StatusAnswer): boolean =>
      answer.kind !== 'not_found' && answer.kind !== 'processing';
    const answer = await inspector.askUntil(filed.key, undefined, isVisible, lagMs);
    const fault = statusFault(answer);
    if (fault !== undefined) return fault;
    switch (answer.kind) {
      case 'accepted':
        return answer.receipt.number === filed.receipt.number
          ? passed('found, with the same receipt')
          : failed('STATUS_OTHER_RECEIPT', `${answer.receipt.number}, not ${filed.receipt.number}`);
      case 'not_found':
        return lagMs > waitMsMax
          ? skipped(`not visible yet; the profile allows ${Math.ceil(lagMs / 60_000)} minutes`)
          : failed('STATUS_NOT_FOUND', `not found after ${lagMs} ms, the profile's visibility lag`);
      case 'processing':
        return failed('STATUS_STILL_PROCESSING', 'still processing, although there was a receipt');
      case 'refused':
      case 'throttled':
      case 'unclear':
        return failed(
          'STATUS_OTHER_RECEIPT',
          `the filing that was accepted is ${describe(answer)}`,
        );
    }
  },
};

const limits: Check = {
  name: 'limits',
  claim: 'A payload that breaks a limit of the profile is refused.',
  async run(inspector) {
    const { profile } = inspector;
    if (profile.synthetic === undefined) return skipped('the profile has no synthetic filing');
    if (profile.driver === 'html-form')
      return skipped('the form itself is filled in by its limits');
    const broken = breakLimit(profile, inspector.payload());
    if (broken === undefined) return skipped('the profile states no limit to test');
    const { verdict } = await inspector.file(inspector.key('limit'), broken.payload);
    if (verdict.kind === 'rejected' || verdict.kind === 'denied') return passed(describe(verdict));
    return failed('LIMIT_NOT_ENFORCED', `${broken.what}: ${describe(verdict)}`);
  },
};

const throttle: Check = {
  name: 'throttle',
  claim: 'Where the portal asked for a pause, its end can be read.',
  async run({ strangeStamp }) {
    return strangeStamp === undefined
      ? skipped('no unreadable end of a pause was found')
      : failed('THROTTLE_STAMP_UNREADABLE', JSON.stringify(strangeStamp));
  },
};

export const FILING_CHECKS: readonly Check[] = [
  unknownKey,
  submit,
  secondKey,
  repeat,
  keyReuse,
  knownKey,
  limits,
  throttle,
];

/** The verdict, or what polling made of a filing that the portal took to look at. */
async function settled(inspector: Inspector, key: string, verdict: Verdict): Promise<Verdict> {
  if (verdict.kind !== 'received') return verdict;
  const { boundMs } = inspector.profile.received;
  const isEnd = (answer: StatusAnswer): boolean =>
    answer.kind !== 'processing' && answer.kind !== 'not_found';
  const answer = await inspector.askUntil(key, verdict.submissionId, isEnd, boundMs);
  switch (answer.kind) {
    case 'accepted':
      return answer;
    case 'refused':
      return { kind: 'rejected', code: answer.code };
    case 'not_found':
    case 'processing':
    case 'throttled':
    case 'unclear':
      return { kind: 'unknown', code: `POLL_${describe(answer).toUpperCase()}` };
  }
}

/** A 409 is an answer too, if the status endpoint then knows the filing. */
async function conflict(
  inspector: Inspector,
  filed: NonNullable<Findings['filed']>,
): Promise<CheckOutcome> {
  const { status } = inspector.profile;
  if (status === undefined) return failed('CONFLICT_UNSETTLED', '409, and no status to ask');
  const isEnd = (answer: StatusAnswer): boolean => answer.kind === 'accepted';
  const answer = await inspector.askUntil(filed.key, undefined, isEnd, status.visibilityLagMs);
  const isSame = answer.kind === 'accepted' && answer.receipt.number === filed.receipt.number;
  return isSame
    ? passed('409, and the status has the same receipt')
    : failed('CONFLICT_UNSETTLED', `409, and the status says ${describe(answer)}`);
}

function statusFault(answer: StatusAnswer): CheckOutcome | undefined {
  if (answer.kind === 'throttled') return failed('THROTTLED', describe(answer));
  if (answer.kind !== 'unclear') return undefined;
  return answer.code === 'OTHER_KEY'
    ? failed('STATUS_OTHER_KEY', 'the answer is about another key')
    : failed('STATUS_UNREADABLE', answer.code);
}

function submitFault(inspector: Inspector, verdict: Verdict, exchange: Exchange): CheckOutcome {
  const found = describe(verdict);
  if (exchange.kind === 'failure') {
    const isOpen = exchange.written && exchange.code !== 'timeout';
    const reason = isOpen ? 'OUTCOME_UNKNOWN' : reasonOfFailure(exchange.code);
    return failed(reason, `${found}: ${exchange.message}`);
  }
  switch (verdict.kind) {
    case 'throttled':
      return inspector.strangeStamp === undefined
        ? failed('THROTTLED', found)
        : failed('THROTTLE_STAMP_UNREADABLE', JSON.stringify(inspector.strangeStamp));
    case 'rejected':
      return failed('SYNTHETIC_REFUSED', found);
    case 'denied':
      return failed('AUTH_REFUSED', found);
    case 'conflict':
      return failed('SYNTHETIC_CONFLICT', found);
    case 'drift':
      return failed(
        verdict.code === 'RECEIPT_FIELD_MISSING' ? 'RECEIPT_MISSING' : 'OUTCOME_UNKNOWN',
        found,
      );
    case 'accepted':
    case 'received':
    case 'session':
    case 'transient':
    case 'unclassified':
    case 'unknown': {
      if ('code' in verdict && verdict.code === 'RECEIPT_MALFORMED') {
        return failed('RECEIPT_MALFORMED', `expected ${inspector.profile.receipt.pattern}`);
      }
      const isRedirect = exchange.status >= 300 && exchange.status < 400;
      return isRedirect
        ? failed(
            'REDIRECT_UNDECLARED',
            `${exchange.status} to ${exchange.headers['location'] ?? ''}`,
          )
        : failed('OUTCOME_UNKNOWN', found);
    }
  }
}

/** The synthetic filing with one thing wrong that the profile says the portal refuses. */
function breakLimit(
  profile: Profile,
  payload: Readonly<Record<string, JsonValue>>,
): { readonly what: string; readonly payload: Readonly<Record<string, JsonValue>> } | undefined {
  for (const { at, required, charactersMax } of profile.limits?.fields ?? []) {
    const [, name = '', ...deeper] = at.split('/');
    if (deeper.length > 0) continue;
    if (required) {
      const { [name]: _left, ...rest } = payload;
      return { what: `without ${at}`, payload: rest };
    }
    if (charactersMax !== undefined) {
      const text = 'x'.repeat(charactersMax + 1);
      return {
        what: `${charactersMax + 1} characters at ${at}`,
        payload: { ...payload, [name]: text },
      };
    }
  }
  return undefined;
}
