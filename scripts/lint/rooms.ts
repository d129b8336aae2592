/** The layout of the house: which wing and room may use which. CONTRIBUTING.md shows it; scripts/lint/main.ts enforces it. */

export interface Wing {
  /** Wings, or rooms of them (`workflows/contract`), that it may import from. `type:` allows `import type` alone. */
  uses: readonly string[];
  /** Its rooms, and the rooms of the same wing that each may use. Files at the top of a wing bind the rooms together: they may use all. */
  rooms: Readonly<Record<string, readonly string[]>>;
}

export const HOUSE: Readonly<Record<string, Wing>> = {
  actions: { uses: [], rooms: { check: [] } },
  domain: {
    uses: [],
    rooms: {
      core: [],
      tables: ['core'],
      facts: ['core', 'tables'],
      gates: ['core'],
      health: ['core', 'tables'],
      readiness: ['core', 'tables', 'facts'],
      policy: ['core', 'tables', 'facts', 'gates', 'health', 'readiness'],
      plan: ['core', 'tables', 'facts', 'gates', 'health', 'readiness', 'policy'],
      run: ['core', 'tables', 'facts', 'gates', 'health', 'readiness', 'policy', 'plan'],
    },
  },
  activities: {
    uses: ['domain'],
    rooms: {
      contract: [],
      runtime: [],
      clients: ['contract', 'runtime'],
      kubernetes: ['contract', 'runtime', 'clients'],
      eks: ['contract', 'runtime', 'clients', 'kubernetes'],
      karpenter: ['contract', 'runtime', 'clients', 'kubernetes'],
      istio: ['contract', 'runtime', 'clients', 'kubernetes'],
      observe: ['contract', 'runtime', 'clients', 'kubernetes', 'eks', 'karpenter', 'istio'],
      run: ['contract', 'runtime', 'clients', 'kubernetes', 'eks', 'karpenter', 'istio', 'observe'],
    },
  },
  render: {
    uses: ['domain'],
    rooms: { page: [], charts: ['page'], readiness: ['page'], 'change-record': ['page', 'charts'], fleet: ['page'], forecast: ['page'] },
  },
  workflows: {
    uses: ['domain', 'type:activities/contract'],
    rooms: {
      contract: [],
      messages: ['contract'],
      runtime: ['contract', 'messages'],
      reporting: ['contract', 'messages', 'runtime'],
      gates: ['contract', 'messages', 'runtime', 'reporting'],
      watch: ['contract', 'messages', 'runtime', 'reporting', 'gates'],
      requests: ['contract', 'messages', 'runtime', 'reporting', 'gates'],
      phases: ['contract', 'messages', 'runtime', 'reporting', 'gates', 'watch'],
      run: ['contract', 'messages', 'runtime', 'reporting', 'gates', 'watch', 'requests'],
    },
  },
  client: {
    uses: ['domain', 'workflows/contract'],
    rooms: {
      calls: [],
      reading: ['calls'],
      starting: ['calls', 'reading'],
      steering: ['calls', 'reading', 'starting'],
      campaigns: ['calls', 'reading', 'starting', 'steering'],
    },
  },
  slack: {
    uses: ['domain', 'client', 'workflows/contract', 'type:activities/contract'],
    rooms: {
      messages: [],
      api: ['messages'],
      transport: ['messages', 'api'],
      blocks: ['messages'],
      views: ['messages', 'blocks'],
      delivery: ['messages', 'api', 'blocks'],
      interaction: ['messages', 'api', 'blocks', 'delivery'],
      requests: ['messages', 'api', 'blocks', 'views', 'delivery', 'interaction'],
      listeners: ['messages', 'api', 'blocks', 'views', 'delivery', 'interaction', 'requests'],
    },
  },
  rehearsal: {
    uses: ['domain'],
    // The parts of one world know each other; what they may not know is anything of Belay's but its vocabulary.
    rooms: {
      world: ['kubernetes', 'aws', 'controllers', 'neighbours', 'processes', 'scenarios'],
      kubernetes: ['world'],
      aws: ['world', 'kubernetes', 'controllers', 'neighbours'],
      controllers: ['world', 'kubernetes', 'aws', 'neighbours'],
      neighbours: ['world', 'kubernetes', 'aws', 'controllers', 'processes'],
      processes: ['world', 'neighbours'],
      scenarios: ['world', 'kubernetes', 'aws', 'controllers', 'neighbours'],
      real: ['world', 'kubernetes', 'controllers', 'neighbours', 'processes', 'scenarios'],
      play: ['world', 'kubernetes', 'aws', 'controllers', 'neighbours', 'processes', 'scenarios', 'real'],
    },
  },
  worker: {
    uses: ['domain', 'activities', 'render', 'workflows', 'client', 'slack'],
    rooms: {
      config: [],
      crypto: ['config'],
      temporal: ['config', 'crypto'],
      releases: ['config', 'crypto', 'temporal'],
      local: ['config', 'crypto', 'temporal'],
      telemetry: ['config', 'temporal', 'releases', 'local'],
      notifications: ['config'],
      doctor: ['config', 'crypto', 'temporal', 'releases', 'local', 'notifications'],
    },
  },
  cli: {
    uses: ['domain', 'client', 'slack', 'render', 'worker', 'rehearsal'],
    rooms: {
      messages: [],
      shared: ['messages'],
      migrate: ['messages', 'shared'],
      render: ['messages', 'shared', 'migrate'],
      permissions: ['messages', 'shared'],
      mcp: ['messages', 'shared', 'render'],
      commands: ['messages', 'shared', 'render', 'migrate', 'permissions', 'mcp'],
    },
  },
};

/** Files may have this many lines; what is generated from a source elsewhere is exempt. */
export const MAX_LINES = 250;
export const GENERATED: readonly string[] = ['domain/tables/api-lifecycle.ts'];
/** Files in one folder. */
export const MAX_FILES = 20;
