export {
  type AcknowledgementDesk,
  acknowledgementServer,
  type MessageView,
  startAcknowledgementServer,
  type WebAddress,
  type WebParts,
  type WebServer,
} from './acknowledgement-server.ts';
export type { Acknowledgement, OpenMessage } from './pages.ts';
