export { entityRowReader, type EntityRowReaderOptions } from './row-reader.ts';
