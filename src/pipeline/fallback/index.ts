export {
  decide,
  type FallbackParts,
  listExceptions,
  propose,
  showException,
  takeOver,
} from './exceptions.ts';
