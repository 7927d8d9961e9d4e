export {
  startAcknowledgementServer,
  type WebAddress,
  type WebServer,
} from './acknowledgement-server.ts';
