export {
  startAcknowledgementServer,
  type WebAddress,
  type WebServer,
} from './acknowledgement-server.ts';
export { startWitnessServer } from './witness-server.ts';
