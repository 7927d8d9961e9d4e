/** Looking for dockets by who or what is meant, however either side spells it. */
import { type ApplicationNumber, numberOf, referenceOf } from '../identity/numbers.ts';
import { isNamed, nameOf } from '../identity/names.ts';

interface Wanted {
  readonly client?: string;
  /** The number of the application, or the firm's own reference. */
  readonly matter?: string;
}

interface Findable {
  readonly client: string | undefined;
  readonly applicationNumber: string | undefined;
  readonly matter?: string | undefined;
  readonly office?: string | undefined;
}

export function finder({ client, matter }: Wanted): (docket: Findable) => boolean {
  const name = client === undefined ? undefined : nameOf(client);
  const number = matter === undefined ? undefined : numberOf(matter);
  const reference = matter === undefined ? undefined : referenceOf(matter);
  return (docket) => {
    if (
      name !== undefined &&
      (docket.client === undefined || !isNamed(name, nameOf(docket.client)))
    )
      return false;
    if (number === undefined || reference === undefined) return true;
    const { applicationNumber, office } = docket;
    const isNumber =
      applicationNumber !== undefined && isSame(number, numberOf(applicationNumber, office));
    return (
      isNumber || (docket.matter !== undefined && isSame(reference, referenceOf(docket.matter)))
    );
  };
}

/** A wrong check digit hides nothing from who looks for the number. */
function isSame(wanted: ApplicationNumber, found: ApplicationNumber): boolean {
  return (
    wanted.body === found.body && (wanted.office === undefined || wanted.office === found.office)
  );
}
