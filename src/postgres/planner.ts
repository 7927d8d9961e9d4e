/** For statements over tables that are nearly empty most of the time: a plan made then walks whole tables later. */
export const PLANNER: Readonly<Record<string, string>> = {
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
  plan_cache_mode: 'force_generic_plan',
};
