export { isSpecialAddress } from './address-guard.ts';
export type { Environment } from './credentials.ts';
export { createPortal, type JsonApiPortal, type PortalOptions } from './json-api.ts';
export { PROFILE_DEFAULTS, profileJsonSchema } from './profile-schema.ts';
export { readProfile } from './read-profile.ts';
export { VERSION } from './version.ts';
