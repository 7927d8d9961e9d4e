/**
 * Deliberate defects in the router, planted in the built JavaScript; each names the invariant that must notice it. What a
 * statement of SQL would do without its locks is planted in the twin, which has the statement's meaning.
 */
import type { PlantedBug } from '../../planted-bugs.ts';

const ROUTING = 'src/dockets/routing';
const STORE = 'src/dockets/store';
const TWIN = 'sim/routing/memory';

const IN_STEPS: readonly PlantedBug[] = [
  {
    name: 'an entry of a docket does not count on',
    file: `${ROUTING}/step.js`,
    find: 'ver[boundary] += 1;',
    replace: ';',
    invariant: 'one_writer',
  },
  {
    name: 'an attempt is not counted with its docket',
    file: `${ROUTING}/step.js`,
    find: 'handoffs: n,',
    replace: 'handoffs: row.handoffs,',
    invariant: 'one_writer',
  },
  {
    name: 'rows are let go between the look and the step',
    file: `${ROUTING}/step.js`,
    find: 'const { locked, tellingOf } = await lock(run);',
    replace:
      "const { locked, tellingOf } = await lock(run); await run({ name: 'commit', text: '' }); await run({ name: 'begin', text: '' });",
    invariant: 'one_writer',
  },
  {
    name: 'a letter of the manual tier is never due',
    file: `${ROUTING}/step.js`,
    find: 'retryAt: isNotice',
    replace: 'retryAt: isNotice && !isLetter',
    invariant: 'warned',
  },
  {
    name: 'nobody is alerted of a docket that waits for people',
    file: `${ROUTING}/step.js`,
    find: 'await this.#warn(row.id, decision);',
    replace: ';',
    invariant: 'alerted',
  },
  {
    name: 'nobody is alerted of a target that fails',
    file: `${ROUTING}/step.js`,
    find: "if (breaker.state !== 'open')",
    replace: 'if (true)',
    invariant: 'alerted',
  },
  {
    name: 'a question to the assignment table has no end',
    file: `${ROUTING}/assignments.js`,
    find: 'askedMsMax(policy) + COMMIT_MS)',
    replace: 'askedMsMax(policy) + 1e10)',
    invariant: 'goes_on',
    seed: 19,
  },
  {
    name: 'a matrix that was read once holds for ever',
    file: `${ROUTING}/setup.js`,
    find: 'if (known?.n === setup.n)',
    replace: 'if (known !== undefined)',
    invariant: 'current_rules',
  },
  {
    name: 'a confirmed docket is not watched until its date',
    file: `${ROUTING}/decide.js`,
    find: "nextAt: state.state === 'confirmed'",
    replace: "nextAt: state.state === 'confirmed' ? undefined : false",
    invariant: 'warned',
  },
  {
    name: 'a confirmed docket is not looked at again on its date',
    file: `${ROUTING}/decide.js`,
    find: 'const nextAt = isLate ? addMs(now, AGAIN_MS) : dates.dueMoment;',
    replace: 'const nextAt = addMs(now, AGAIN_MS);',
    invariant: 'warned',
  },
  {
    name: 'nobody is told that a date has passed',
    file: `${ROUTING}/decide.js`,
    find: "case 'late':",
    replace: "case 'late': return []; case 'never':",
    invariant: 'warned',
    seed: 4,
  },
  {
    name: 'a docket that nobody confirms is not given to the next tier',
    file: `${ROUTING}/decide.js`,
    find: ': wakeAt(state),',
    replace: ": state.state === 'awaiting' ? addMs(now, 1e9) : wakeAt(state),",
    invariant: 'warned',
    seed: 13,
  },
];

const IN_SENDING: readonly PlantedBug[] = [
  {
    name: 'a queue that is full is not avoided',
    file: `${ROUTING}/troubles.js`,
    find: 'now - at > READING_FRESH_MS',
    replace: 'now - at > -1',
    invariant: 'way_back',
    seed: 13,
  },
  {
    name: 'what a queue took and nobody reads counts as confirmed',
    file: `${ROUTING}/queue-watch.js`,
    find: 'await this.#takeBack(target, stall, seen.lagMs);',
    replace: ';',
    invariant: 'goes_on',
    seed: 6,
  },
  {
    name: 'whoever stood still sends when others may have taken over',
    file: `${ROUTING}/hand-over.js`,
    find: 'mayWrite: () => clock.monotonicMs() < endMs,',
    replace: 'mayWrite: () => true,',
    invariant: 'late_write',
  },
  {
    name: 'the time of an attempt runs from its sending, and not from before its intent',
    file: `${ROUTING}/hand-over.js`,
    find: 'const endMs = at.startedMs +',
    replace: 'const endMs = clock.monotonicMs() +',
    invariant: 'late_write',
    seed: 8,
  },
  {
    name: 'the time of an attempt runs from the answer to its commit',
    file: `${ROUTING}/router.js`,
    find: 'payloads.then((found) => this.#send(pending, found.get(row.id), startedMs))',
    replace:
      'payloads.then((found) => this.#send(pending, found.get(row.id), this.#clock.monotonicMs()))',
    invariant: 'late_write',
    seed: 8,
  },
  {
    name: 'a transaction is over before its commit is',
    file: 'src/postgres/session.js',
    find: "await run({ name: 'commit', text: 'commit' });",
    replace: "void run({ name: 'commit', text: 'commit' }).catch(() => undefined);",
    invariant: 'intent_first',
  },
  {
    name: 'a commit whose answer was lost is taken for done',
    file: 'src/postgres/session.js',
    find: "await run({ name: 'commit', text: 'commit' });",
    replace: "await run({ name: 'commit', text: 'commit' }).catch(() => undefined);",
    invariant: 'intent_first',
  },
  {
    name: 'after a cut the rest of a transaction runs on another connection',
    file: 'src/postgres/session.js',
    find: 'const run = (statement, values) => this.#execute(client, statement, values ?? []);',
    replace:
      'const run = async (statement, values) => { for (let again = 0; ; again += 1) { try { return await this.#execute(await this.#connected(), statement, values ?? []); } catch (error) { if (again > 2) throw error; } } };',
    invariant: 'one_writer',
    seed: 22,
  },
  {
    name: 'two transactions share a connection at the same time',
    file: 'src/postgres/session.js',
    find: 'const result = this.#last.then(work);',
    replace: 'const result = Promise.resolve().then(work);',
    invariant: 'one_writer',
  },
  {
    name: 'a router that lost its database once does not look again',
    file: `${ROUTING}/router.js`,
    find: 'waitMs = Math.max(ms, AWAY_MS);',
    replace: 'throw error;',
    invariant: 'no_error',
  },
  {
    name: 'a handoff that fails ends its process',
    file: `${ROUTING}/router.js`,
    find: '.catch((error) => this.#deps.log.write({',
    replace: '.catch((error) => Promise.reject(error) && this.#deps.log.write({',
    invariant: 'no_error',
    seed: 10,
  },
];

const IN_NOTICES: readonly PlantedBug[] = [
  {
    name: 'a notice of the manual tier is sent like any other handoff',
    file: `${ROUTING}/router.js`,
    find: "if (pending.hop.tier === 'MANUAL') {",
    replace: 'if (false) {',
    invariant: 'goes_on',
  },
  {
    name: 'only the first docket of a letter is told',
    file: `${ROUTING}/hand-over.js`,
    find: 'return group.map((pending) => handedOf(pending, outcome, id));',
    replace: 'return group.slice(0, 1).map((pending) => handedOf(pending, outcome, id));',
    invariant: 'one_writer',
    seed: 36,
  },
  {
    name: 'a notice of the manual tier is tried once',
    file: `${ROUTING}/manual-notices.js`,
    find: 'if (isOver(handed)) {',
    replace: 'if (isOver(handed) || true) {',
    invariant: 'goes_on',
    seed: 5,
  },
  {
    name: 'nobody writes down that a notice got through',
    file: `${ROUTING}/manual-notices.js`,
    find: 'await this.#notices.tell({ docket: row.id, happening, ended });',
    replace: ';',
    invariant: 'one_writer',
  },
  {
    name: 'the end of a handoff is not written with its docket',
    file: `${ROUTING}/step.js`,
    find: 'this.#ended.push({ docket: row.id, ...telling.ended });',
    replace: ';',
    invariant: 'one_writer',
  },
  {
    name: 'a notice is claimed for no time',
    file: `${STORE}/handoffs.js`,
    find: 'claimMs: leaseMs',
    replace: 'claimMs: 0',
    invariant: 'one_writer',
    seed: 7,
  },
  {
    name: 'a letter waits for company without an end',
    file: `${ROUTING}/manual-notices.js`,
    find: 'quietMs: LETTER_WAIT_MS',
    replace: 'quietMs: 1e9',
    invariant: 'warned',
  },
];

const IN_RECOVERY: readonly PlantedBug[] = [
  {
    name: 'a check counts after its lease was lost',
    file: `${ROUTING}/recovery.js`,
    find: 'if (addition.lease !== undefined && addition.lease !== run.lease)',
    replace: 'if (false)',
    invariant: 'late_write',
    seed: 109,
  },
  {
    name: 'a check is leased for a moment only',
    file: `${ROUTING}/recovery.js`,
    find: 'const leaseMs = this.#options.leaseMs ?? LEASE_MS;',
    replace: 'const leaseMs = 10;',
    invariant: 'one_probe',
  },
  {
    name: 'whoever has a lease does not know its number',
    file: `${STORE}/recovery.js`,
    find: 'leases.get(run.id) ?? 0',
    replace: '0',
    invariant: 'way_back',
  },
  {
    name: 'nobody is asked for the approval that a recovery waits for',
    file: `${ROUTING}/recovery.js`,
    find: '...(isAsking ? [approvalAlert(run.target, run.id)] : []),',
    replace: '',
    invariant: 'alerted',
    seed: 52,
  },
  {
    name: 'nobody is told of what a target does not have',
    file: `${ROUTING}/recovery.js`,
    find: '...(differences.length === 0 ? [] : [differencesAlert(run.target, run.id)]),',
    replace: '',
    invariant: 'alerted',
  },
  {
    name: 'a difference that nobody reviews is not told again',
    file: `${ROUTING}/recovery-watch.js`,
    find: 'await raiseAlertRow(run, tenant, {',
    replace: 'await (async () => undefined)(run, tenant, {',
    invariant: 'alerted',
    seed: 20,
  },
  {
    name: 'a target that fails its test message is used again',
    file: `${ROUTING}/recovery-checks.js`,
    find: "return outcome.kind === 'confirmed' || outcome.kind === 'sent'",
    replace: 'return outcome.kind',
    invariant: 'way_back',
    seed: 17,
  },
  {
    name: 'a target that does not answer is taken for well',
    file: `${ROUTING}/target-health.js`,
    find: 'return status === 200 ? good(evidence)',
    replace: 'return status !== 200 ? good(evidence)',
    invariant: 'way_back',
  },
  {
    name: 'a recovery whose check failed is left alone',
    file: `${ROUTING}/recovery.js`,
    find: 'nextAt: nextTurnOf(next),',
    replace: "nextAt: next.state === 'checking' ? addMs(nextTurnOf(next), 1e9) : nextTurnOf(next),",
    invariant: 'way_back',
  },
  {
    name: 'a check that fails ends its process',
    file: `${ROUTING}/recovery.js`,
    find: "event: 'router.check_failed',",
    replace: "event: 'router.check_failed', thrown: void Promise.reject(error),",
    invariant: 'no_error',
  },
];

/** A statement without its lock, or with another one. */
const IN_STATEMENTS: readonly PlantedBug[] = [
  {
    name: 'dockets that are due are not locked',
    file: `${TWIN}/step-statements.js`,
    find: 'const row = query.tryLock(docket, id);',
    replace: 'const row = query.find(docket, id);',
    invariant: 'one_writer',
    seed: 8,
  },
  {
    name: 'a docket that something happened to is not locked',
    file: `${TWIN}/step-statements.js`,
    find: 'const row = yield* query.lock(docket, before.id);',
    replace: 'const row = query.find(docket, before.id);',
    invariant: 'one_writer',
    seed: 111,
  },
];

/** By the part of the router in which they are. */
export const ROUTER_BUGS: Readonly<Record<string, readonly PlantedBug[]>> = {
  steps: IN_STEPS,
  sending: IN_SENDING,
  notices: IN_NOTICES,
  recovery: IN_RECOVERY,
  statements: IN_STATEMENTS,
};
