/** Facts that no entry could hold: what they are, and for a person who may see everything, the facts themselves. */
import { type Actor, allow } from '../../access/index.ts';
import type { Filewright } from '../../filewright.ts';
import { FilewrightError, notFound, toRfc3339 } from '../../core/index.ts';
import { countSetAside, openSetAside, sequenceAll, setAsideFacts } from '../../ledger/index.ts';
import { noteOpened } from '../../people/index.ts';
import { docketSight, hasDockets } from '../../dockets/index.ts';

interface SetAsideLine {
  readonly id: string;
  readonly log: string;
  readonly at: string;
  /** The code of the error; the whole of it may quote the fact, and is shown with it. */
  readonly reason: string;
  /** Of the fact's text, as the entry in its place names it. */
  readonly sha256: string;
  readonly bytes: number;
}

export async function listSetAside(
  app: Filewright,
  actor: Actor,
): Promise<{ readonly count: number; readonly facts: readonly SetAsideLine[] }> {
  allow(actor, 'audit.set-aside.list');
  await sequenceAll(app);
  const { count } = await countSetAside(app.session, app.tenant);
  const facts = await setAsideFacts(app.session, app.tenant);
  return {
    count,
    facts: facts.map(({ boundary, at, ...line }) => ({
      ...line,
      log: `${app.instance}/${app.tenant}/${boundary}`,
      at: toRfc3339(at),
    })),
  };
}

type ShownFact =
  /** Its text to the byte, and why no entry could hold it. */
  | { readonly state: 'kept'; readonly fact: string; readonly message: string }
  /** Its key was destroyed when its time had passed; the log still has the hash. */
  | { readonly state: 'shredded'; readonly key: string; readonly at: string };

/** One of them, opened. It may speak of any docket, so only who may see all of them gets it. */
export async function showSetAside(app: Filewright, reader: Actor, id: string): Promise<ShownFact> {
  allow(reader, 'audit.set-aside.show');
  const hasAny = await hasDockets(app.session, app.tenant);
  if (hasAny && !(await docketSight(app, reader).seesEverything())) {
    throw new FilewrightError(
      'SIGHT_NEEDED',
      'Only a person who may see every docket (client:*, class:* and privilege:*, no deny) can see a fact that was set aside',
    );
  }
  await noteOpened(app, reader, 'audit.set-aside.show', id);
  const found = await openSetAside(app.session, app, id);
  if (found === undefined) throw notFound(`No fact ${id} was set aside; see audit set-aside`);
  return found.state === 'kept' ? found : { ...found, at: toRfc3339(found.at) };
}
