export {
  acknowledgementRoutes,
  type PageDeps,
  startAcknowledgementServer,
  type WebAddress,
  type WebServer,
} from './acknowledgement-server.ts';
export { limitPerAddress, networkOf } from './per-address.ts';
export { startWitnessServer } from './witness-server.ts';
