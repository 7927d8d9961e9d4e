/** The table of routes is whole: every act has a route or a reason, and every route is said in the document. */
import { describe, expect, it } from 'vitest';
import { RIGHTS } from '../../src/access/rights.ts';
import { ROUTES } from '../../src/service/routes/table.ts';
import { UNROUTED } from '../../src/service/routes/unrouted.ts';

const routed = new Set(ROUTES.map(({ act }) => act));

describe('the table of routes', () => {
  it('has every act, or the reason why not', () => {
    const missing = Object.keys(RIGHTS).filter(
      (act) => !routed.has(act as keyof typeof RIGHTS) && !(act in UNROUTED),
    );
    expect(missing, 'give it a route in src/service/routes, or a reason in unrouted.ts').toEqual(
      [],
    );
  });

  it('gives no reason for what has a route, nor for what is gone', () => {
    const both = Object.keys(UNROUTED).filter((act) => routed.has(act as keyof typeof RIGHTS));
    expect(both).toEqual([]);
    expect(Object.keys(UNROUTED).filter((act) => !(act in RIGHTS))).toEqual([]);
  });

  it('has each address once, and a person may do what stands behind it', () => {
    const names = ROUTES.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(names).size).toBe(names.length);
    for (const { act, path } of ROUTES) {
      if (act !== undefined) expect(RIGHTS[act], path).toContain('person');
      // What an address names is declared, and nothing else is.
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const route = ROUTES.find((one) => one.path === path);
      expect(Object.keys(route?.params.properties ?? {}), path).toEqual(named);
    }
  });

  it('looks only by GET, and takes a body only elsewhere', () => {
    for (const { method, body, takesFile, path } of ROUTES) {
      if (method === 'GET') expect([body, takesFile], path).toEqual([undefined, false]);
    }
  });
});
