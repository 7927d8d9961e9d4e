export { serveService } from './acts/serve.ts';
