/** Delaware franchise tax: where the payload has share data, the tax is computed and the fee must be it. */
import {
  badCase,
  FilewrightError,
  type JsonValue,
  parseStrictJson,
  shownDollars,
} from '../../../core/index.ts';
import { TAX_FIELDS } from '../columns.ts';
import type { GateFinding, GateStep, Payload } from '../gates-report.ts';
import { answerTax } from '../law/delaware-answer.ts';
import type { DelawareRates } from '../law/delaware-rates.ts';

type Fields = Readonly<Record<string, JsonValue>>;

// 8 Del. C. § 502(a), § 391(a)(16): the annual report of a domestic corporation costs this beside the tax.
// The figure itself comes with the rule (US-DE.corporation.domestic, fee_usd).
export function taxGate(
  payload: Payload,
  rates: DelawareRates,
  reportFeeCents: number | undefined,
): GateStep {
  const { fields } = payload;
  if (payload['jurisdiction'] !== 'US-DE') return {};
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return {};
  // Neither null nor a list, so an object of the JSON reader.
  const given = fields as Fields;
  if (!Object.hasOwn(given, 'authorized')) return {};
  let taxCents: number;
  try {
    const { tax } = answerTax(taxCase(given), rates);
    taxCents = Number(tax.replaceAll(/[.,]/g, ''));
  } catch (error) {
    if (!(error instanceof FilewrightError)) throw error;
    const field = `/fields/${String(error.details['field'] ?? 'authorized').replace(/[.[].*$/, '')}`;
    return refused({ code: 'TAX_INVALID', field, why: error.message });
  }
  const fee = payload['fee_cents'];
  const both = reportFeeCents === undefined ? undefined : taxCents + reportFeeCents;
  const expected = `${shownDollars(taxCents)}${both === undefined ? '' : `, or ${shownDollars(both)} with the report fee`}`;
  if (typeof fee !== 'number') {
    const why = `is empty; the tax on these shares is ${expected}`;
    return refused({ code: 'TAX_FEE_MISSING', field: '/fee_cents', why });
  }
  if (fee === taxCents || fee === both) return {};
  const why = `is ${shownDollars(fee)}, but the tax on these shares is ${expected}; check the shares, the assets and the method`;
  return refused({ code: 'TAX_DIFFERS', field: '/fee_cents', why });
}

/** From CSV everything is text: a list of share classes as JSON, a flag as a word. */
function taxCase(fields: Fields): Readonly<Record<string, unknown>> {
  const input: Record<string, unknown> = { authorized: listOf(fields['authorized']) };
  for (const name of TAX_FIELDS) {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (value !== undefined && value !== '') input[name] = value;
  }
  const large = Object.hasOwn(fields, 'large_filer') ? fields['large_filer'] : undefined;
  if (large !== undefined && large !== '') {
    input['large_filer'] = large === 'true' ? true : large === 'false' ? false : large;
  }
  return input;
}

function listOf(value: JsonValue | undefined): unknown {
  if (typeof value !== 'string') return value;
  try {
    return parseStrictJson(value);
  } catch (error) {
    if (!(error instanceof FilewrightError)) throw error;
    throw badCase(
      `authorized: expected a JSON list of share classes, for instance [{"shares":1500,"par":null}]: ${error.message}`,
      { cause: error, details: { field: 'authorized' } },
    );
  }
}

function refused(finding: GateFinding): GateStep {
  return { refusals: [finding] };
}
