/** The page behind the links in notices. */
import type { Filewright } from '../../app.ts';
import { acknowledgementDesk } from '../../routing/index.ts';
import { startAcknowledgementServer, type WebAddress, type WebServer } from '../../web/index.ts';
import { sequenceAll } from '../batches.ts';
import { routingParts } from './parts.ts';
import { linksOf } from './links.ts';

export async function serveAcknowledgements(
  app: Filewright,
  address: WebAddress,
): Promise<WebServer> {
  const desk = acknowledgementDesk(routingParts(app));
  return startAcknowledgementServer(
    {
      desk: {
        look: desk.look,
        acknowledge: async (reference) => {
          const done = await desk.acknowledge(reference);
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
    },
    address,
  );
}
