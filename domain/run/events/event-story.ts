/**
 * Turns what a run tells into events, each once: the board is told again and again, a gate with each vote. Deterministic: it runs in workflows, and
 * what it makes decides their commands. A change of when an existing type is made needs a patch; a new type does not, as runs list theirs.
 */
import type { ClusterRef } from '../../core/cluster-ref.ts';
import { defined } from '../../core/defined.ts';
import type { EventType } from '../../policy/deliveries.ts';
import type { People } from '../../policy/identities.ts';
import type { Notification, PublishInput } from '../notifications.ts';
import type { StepState, UpgradeStatus } from '../record/status.ts';
import { clip, linksOf, reportData, runData, stepData } from './data.ts';
import type { EventData, RunEvent } from './event.ts';
import { GateEvents } from './gate-events.ts';

export interface StoryOf {
  upgrade: PublishInput['upgrade'];
  cluster: ClusterRef;
  environment: string;
  /** Of Temporal UI, with the namespace. */
  temporalUrl?: string;
  /** Gates can be decided in Slack as well. */
  inSlack: boolean;
  /** Whose AWS identities say what approvers are called. */
  people?: People;
  /** What is known of the run already: a step that outlives it hears of no board. */
  run?: EventData['run'];
}

type Told = Omit<RunEvent, 'at' | 'data'> & Partial<Pick<RunEvent, 'at'>> & { data?: Partial<EventData> };
type Of<Kind extends Notification['kind']> = Extract<Notification, { kind: Kind }>;

const STEP_EVENTS: Partial<Record<StepState, EventType>> = {
  running: 'step.started',
  waiting: 'step.started',
  completed: 'step.completed',
  skipped: 'step.skipped',
  failed: 'step.failed',
  aborted: 'step.aborted',
};

export class EventStory {
  readonly #of: StoryOf;
  readonly #told = new Set<string>();
  readonly #steps = new Map<string, { type: EventType; count: number }>();
  readonly #gates: GateEvents;
  #run: NonNullable<EventData['run']>;
  #pauseCount = 0;
  #isPaused = false;

  constructor(of: StoryOf) {
    this.#of = of;
    this.#run = of.run ?? { ...of.upgrade };
    const command = (gateId: string): string => `belay decide ${of.cluster.name} '${gateId}' CHOICE --reason "…"`;
    this.#gates = new GateEvents({ command, inSlack: of.inSlack, ...defined({ people: of.people }) }, 'run');
  }

  /** `nowIso`: the workflow's. The same state told again gives none. */
  hear({ key, notification }: Pick<PublishInput, 'key' | 'notification'>, nowIso: string): RunEvent[] {
    return this.#heard(key, notification, nowIso).flatMap((told) => {
      if (this.#told.has(told.key)) return [];
      this.#told.add(told.key);
      return [{ at: nowIso, ...told, data: { ...this.#common(), ...told.data } }];
    });
  }

  #heard(key: string, notification: Notification, nowIso: string): Told[] {
    switch (notification.kind) {
      case 'board':
        return this.#board(notification);
      case 'gate':
        return this.#gates.hear(notification, nowIso);
      case 'report':
        return this.#report(notification);
      case 'note':
        return note(key, notification);
      default:
        // Pictures, files and what is no run's: Slack's alone.
        return [];
    }
  }

  #common(): EventData {
    const { cluster, environment, temporalUrl } = this.#of;
    const { name, account, region } = cluster;
    return {
      cluster: { name, account, region, environment },
      run: this.#run,
      ...linksOf(temporalUrl),
    };
  }

  #knows(status: UpgradeStatus): void {
    this.#run = runData(this.#of.upgrade, status);
  }

  #board({ status, quiet }: Of<'board'>): Told[] {
    this.#knows(status);
    if (!hasBegun(status)) return [];
    const calm = quiet === true ? { quiet } : {};
    const isPaused = status.state === 'paused';
    const turned = isPaused !== this.#isPaused;
    if (turned && isPaused) this.#pauseCount += 1;
    this.#isPaused = isPaused;
    return [
      { key: 'upgrade/started', type: 'upgrade.started', at: status.startedAt, ...calm },
      ...(turned ? [isPaused ? this.#turn('paused') : this.#turn('resumed')] : []),
      ...status.steps.flatMap((step) => this.#step(step)).map((told) => ({ ...told, ...calm })),
    ];
  }

  #turn(to: 'paused' | 'resumed'): Told {
    return { key: `upgrade/${to}/${this.#pauseCount}`, type: `upgrade.${to}` };
  }

  #step(step: UpgradeStatus['steps'][number]): Told[] {
    const type = STEP_EVENTS[step.state];
    const before = this.#steps.get(step.id);
    if (type === undefined || before?.type === type) return [];
    const count = type === 'step.started' || before === undefined ? (before?.count ?? 0) + 1 : before.count;
    this.#steps.set(step.id, { type, count });
    return [{ key: `step/${step.id}/${type.slice('step.'.length)}/${count}`, type, subject: step.id, data: { step: stepData(step) } }];
  }

  #report({ report, quiet }: Of<'report'>): Told[] {
    this.#knows(report.status);
    const calm = quiet === true ? { quiet } : {};
    return [
      // What has changed since the board was told the last time.
      ...report.status.steps.flatMap((step) => this.#step(step)).map((told) => ({ ...told, ...calm })),
      {
        key: 'upgrade/finished',
        type: 'upgrade.finished',
        ...defined({ at: report.status.endedAt }),
        data: { report: reportData(report) },
        ...calm,
      },
    ];
  }
}

function note(key: string, { level, text, ask, due }: Of<'note'>): Told[] {
  if (ask === undefined) return [{ key, type: `note.${level}`, data: { note: { text: clip(text, 2_000) } } }];
  const { component, name, version, managedBy } = ask;
  return [
    {
      key,
      type: 'change.requested',
      data: {
        change: {
          component,
          name: clip(name),
          version: clip(version),
          managedBy,
          text: clip(text, 2_000),
          ...defined({ due: due?.until }),
        },
      },
    },
  ];
}

/** There is a plan, and it was not refused. */
function hasBegun({ from, state }: UpgradeStatus): boolean {
  return from !== undefined && state !== 'planning' && state !== 'refused';
}
