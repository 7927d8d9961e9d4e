/** Deliberate defects in the pipeline, planted in the built JavaScript; each names the invariant that must notice it. */
import type { PlantedBug } from '../planted-bugs.ts';

const PIPELINE = 'src/grants/pipeline';
const PACK = 'src/grants/rules';
const STORE = 'src/grants/store';

export const GRANTS_BUGS: readonly PlantedBug[] = [
  {
    name: 'an award that two documents tell of counts twice',
    file: `${PIPELINE}/ingestion/identity.js`,
    find: "if (payload['award_id'] === undefined)",
    replace: 'if (true)',
    invariant: 'counted_once',
  },
  {
    name: 'a document is not known again after a crash',
    file: `${STORE}/awards.js`,
    find: 'return row === undefined ? undefined : documentOf(row);',
    replace: 'return undefined;',
    invariant: 'runs_again',
  },
  {
    name: 'another content under the same number is taken for a repetition',
    file: `${PIPELINE}/ingestion/ingest-awards.js`,
    find: 'before?.payloads.has(one.metadata.payload_hash) === true',
    replace: 'before !== undefined',
    invariant: 'nothing_lost',
  },
  {
    name: 'what a document quarantines is forgotten',
    file: `${PIPELINE}/ingestion/ingest-awards.js`,
    find: "if (one.kind !== 'accepted')",
    replace: "if (one.kind === 'refused')",
    invariant: 'runs_again',
  },
  {
    name: 'a correction is not looked at before people agree to it',
    file: `${PIPELINE}/resolve-exceptions.js`,
    find: 'await checkCorrection(ingestion, source, shown.amends)',
    replace:
      "{ document: await (await import('./bytes.js')).hashOfSource(source), amends: undefined }",
    invariant: 'exceptions_untouched',
  },
  {
    name: 'a corrected award does not name the one it replaces',
    file: `${PACK}/intake/metadata.js`,
    find: 'replaces: stamp.replaces ?? null',
    replace: 'replaces: null',
    invariant: 'exceptions_untouched',
  },
  {
    name: 'a feed is not known again after a crash',
    file: `${STORE}/feeds.js`,
    find: 'if (row === undefined)\n        return undefined;\n    const { statements, lines } = row;',
    replace: 'return undefined;\n    const { statements, lines } = row;',
    invariant: 'runs_again',
  },
  {
    name: 'what the bank tells twice is money twice',
    file: `${PIPELINE}/reconciliation/fold-lines.js`,
    find: 'deliveries.addHint(line);',
    replace: 'takeEntry(line, [line.id]);',
    invariant: 'totals',
  },
  {
    name: 'a payment that was taken back stays',
    file: `${PACK}/matching/preparation.js`,
    find: 'netReversals(bench);\n}',
    replace: '}',
    invariant: 'totals',
  },
  {
    name: 'a line of a closed period is matched again in the next one',
    file: `${STORE}/feeds.js`,
    find: "new Set(row['resolved'])",
    replace: 'new Set()',
    invariant: 'counted_once',
  },
  {
    name: 'a closed period is closed again after a crash',
    file: `${PIPELINE}/reconciliation/close-period.js`,
    find: 'if (same !== undefined) {',
    replace: 'if (false) {',
    invariant: 'runs_again',
  },
  {
    name: 'what was handed on is handed on again',
    file: `${PIPELINE}/reconciliation/release.js`,
    find: 'if (before !== undefined)',
    replace: 'if (false)',
    invariant: 'runs_again',
  },
  {
    name: 'nobody watches the thresholds',
    file: `${PIPELINE}/reconciliation/release.js`,
    find: 'const isWatched = organization.states.length > 0;',
    replace: 'const isWatched = false;',
    invariant: 'release_checked',
  },
  {
    name: 'a closed period that was not handed on does not count for a threshold',
    file: `${STORE}/releases.js`,
    find: 'h.tenant = m.tenant and h.period = m.period)',
    replace:
      'h.tenant = m.tenant and h.period = m.period) and not exists (select 1 from grant_period q, grant_period p where q.tenant = m.tenant and p.tenant = m.tenant and p.id = m.period and q.to_day > p.to_day)',
    invariant: 'release_checked',
  },
  {
    name: 'a check from before the crossing is enough',
    file: `${PACK}/crossings.js`,
    find: 'formatDay(check.checkedOn) >= on',
    replace: 'true',
    invariant: 'runs_again',
  },
  {
    name: 'a second record names itself as the one before it',
    file: `${PIPELINE}/reconciliation/release.js`,
    find: 'previousHash: metadataHash(before),',
    replace: 'previousHash: metadataHash(after),',
    invariant: 'metadata_append_only',
  },
  {
    name: 'the fact of a handoff is left out',
    file: `${PIPELINE}/reconciliation/release.js`,
    find: "type: 'period.released',",
    replace: "type: 'period.freed',",
    invariant: 'one_fact',
  },
  {
    name: 'money of the last day is not reported',
    file: `${STORE}/releases.js`,
    find: 'received_on between $2::date and $3::date and (award,',
    replace: 'received_on >= $2::date and received_on < $3::date and (award,',
    invariant: 'totals',
  },
  {
    name: 'an attempt is made before it is on record',
    file: `${STORE}/questions.js`,
    find: "kind: 'attempt',",
    replace: "kind: 'failure',",
    invariant: 'snapshot_first',
  },
  {
    name: 'a document that has changed since it was read is taken in',
    file: `${PACK}/intake/same-document.js`,
    find: 'if (before === undefined)',
    replace: 'if (true)',
    invariant: 'counted_once',
  },
  {
    name: 'a document and the end of its fetch are two commits',
    file: `${PIPELINE}/ingestion/fetch-awards.js`,
    find: 'after = await keepAnswer(deps, at, received, good);',
    replace: '',
    invariant: 'retry_rules',
  },
  {
    name: 'a 404 is asked again',
    file: `${PACK}/intake/failures.js`,
    find: 'meanings: { throttled: true },',
    replace: 'meanings: { throttled: true, refused: true, denied: true, missing: true },',
    invariant: 'retry_rules',
  },
  {
    name: 'nobody counts failures in a row',
    file: `${PACK}/matching/retry.js`,
    find: 'failures >= QUESTION_RETRY.inARowMax',
    replace: 'false',
    invariant: 'retry_rules',
  },
  {
    name: 'a retry does not wait',
    file: `${PACK}/matching/retry.js`,
    find: 'const at = addMs(asked.now, backoffMs(QUESTION_RETRY, { id, attempt: tries, failures }));',
    replace: 'const at = asked.now;',
    invariant: 'retry_rules',
  },
];
