/** The page behind the links in notices. */
import { type Actor, allow } from '../../access/index.ts';
import { type Installation, sequenceAll } from '../../ledger/index.ts';
import { FilewrightError } from '../../core/index.ts';
import type { People } from '../rules/access/people.ts';
import type { Viewer } from '../rules/access/visible.ts';
import { acknowledgementPage } from '../routing/acknowledgement-page.ts';
import {
  acknowledgementRoutes,
  type PageDeps,
  startAcknowledgementServer,
  type WebAddress,
  type WebServer,
} from '../../server/index.ts';
import { personOf } from '../../people/index.ts';
import { routingDeps } from './deps.ts';
import { linksOf } from './links.ts';
import { viewerNamed } from './sight.ts';

export async function serveAcknowledgements(
  app: Installation,
  actor: Actor,
  address: WebAddress,
): Promise<WebServer> {
  allow(actor, 'acknowledgement.serve');
  return startAcknowledgementServer(pagesOf(app), address);
}

/** To be registered with the server of the service; asked for by whoever may start that. */
export function acknowledgementPages(
  app: Installation,
  actor: Actor,
): ReturnType<typeof acknowledgementRoutes> {
  allow(actor, 'acknowledgement.serve');
  return acknowledgementRoutes(pagesOf(app));
}

function pagesOf(app: Installation): PageDeps {
  const page = acknowledgementPage(routingDeps(app), (key, people) =>
    viewerOfKey(app, key, people),
  );
  return {
    page: {
      look: page.look,
      signIn: page.signIn,
      acknowledge: async (reference) => {
        const done = await page.acknowledge(reference);
        if (done?.isFirst === true) await sequenceAll(app);
        return done;
      },
    },
    readToken: linksOf(app).read,
    clock: app.clock,
    onTrouble: (error) =>
      app.log.write({
        level: 'error',
        event: 'web.trouble',
        error: error instanceof Error ? error.name : 'unknown',
      }),
    onCrowd: () => app.log.write({ level: 'warn', event: 'web.too_many_connections' }),
  };
}

/** As on the command line: the key says who it is, and the people file what that person may see. */
async function viewerOfKey(
  app: Installation,
  key: string,
  people: People,
): Promise<Viewer | undefined> {
  try {
    return viewerNamed(people, await personOf(app, key));
  } catch (error) {
    const isUnknown =
      error instanceof FilewrightError &&
      (error.code === 'BAD_CREDENTIAL' || error.code === 'NO_CREDENTIAL');
    if (isUnknown) return undefined;
    throw error;
  }
}
