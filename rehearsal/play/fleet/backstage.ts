/** Brings everything of a fleet's rehearsal up, and takes it down again: one Temporal, one Slack, one worker and one Slack app for all clusters. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { APPROVERS, CHANNEL } from '../backstage.ts';
import { Cast } from '../cast.ts';
import { fleetConfigFile } from '../config-file.ts';
import { makeSigningKey } from '../signing-key.ts';
import type { BelayAddresses } from '../../processes/belay.ts';
import { fleetOf, type FleetMember } from '../../scenarios/fleet.ts';
import { type FleetStage, setFleetStage } from '../../stage/fleet-stage.ts';
import { inheritedBy, type Raised, raiseTemporal } from '../temporal.ts';
import type { FleetOptions } from './options.ts';

export interface FleetGiven {
  options: FleetOptions;
  directory: string;
  say: (line: string) => void;
  interrupted: AbortController;
}

export interface FleetScene extends Raised {
  members: readonly [FleetMember, ...FleetMember[]];
  stage: FleetStage;
  recordsDirectory: string;
  /** For Belay's processes. */
  belay: BelayAddresses;
}

export class FleetBackstage {
  readonly #given: FleetGiven;
  readonly #cast: Cast;
  readonly #closing: (() => void | Promise<void>)[] = [];
  /** A process of the rehearsal could not be kept alive. */
  failure: Error | undefined;

  constructor(given: FleetGiven) {
    this.#given = given;
    this.#cast = new Cast({
      directory: given.directory,
      say: given.say,
      onGivenUp: (error) => {
        this.failure ??= error;
        given.interrupted.abort(error);
      },
    });
  }

  /** Temporal, the stand-ins and belay.yaml; nobody of Belay's yet. */
  async setScene(): Promise<FleetScene> {
    const { options, directory } = this.#given;
    const members = fleetOf(options.fleet);
    const raised = await raiseTemporal(this.#cast, this.#given);
    this.#closing.push(() => raised.watcher.close());
    const [first, ...others] = members;
    const stage = await setFleetStage({
      scenarios: [first.scenario, ...others.map(({ scenario }) => scenario)],
      speed: options.speed,
      pagePort: options.port,
      temporalUi: () => raised.temporal.ui,
    });
    this.#closing.push(() => stage.close());
    await options.onStage?.(stage);
    const recordsDirectory = join(directory, 'records');
    const belay = this.#configure(members, stage, raised, recordsDirectory);
    return { ...raised, members, stage, recordsDirectory, belay };
  }

  startBelay({ belay }: FleetScene): void {
    this.#cast.startBelay(belay);
  }

  /** Servers close after the processes, so that their last requests are answered. */
  async tearDown(): Promise<void> {
    await this.#cast.stop();
    for (const close of this.#closing.reverse()) await close();
  }

  #configure(members: FleetScene['members'], stage: FleetStage, { source, temporal }: Raised, recordsDirectory: string): BelayAddresses {
    const { options, directory } = this.#given;
    const configPath = join(directory, 'belay.yaml');
    const { privateLine, publicKeys } = makeSigningKey();
    const clusters = members.map(({ scenario }, index) => ({ scenario, prometheusUrl: stage.clusters[index]?.prometheusUrl ?? '' }));
    const shared = { speed: options.speed, channel: CHANNEL, approvers: APPROVERS, publicKeys, ui: temporal.ui, recordsDirectory };
    writeFileSync(configPath, fleetConfigFile(clusters, shared));
    const { workspace, apiUrl } = stage.slack;
    return {
      awsUrl: stage.aws.url,
      region: members[0].scenario.cluster.region,
      slackApiUrl: apiUrl,
      botToken: workspace.botToken,
      appToken: workspace.appToken,
      configFile: configPath,
      signingKey: privateLine,
      temporal: { address: temporal.address, inherited: inheritedBy(source) },
    };
  }
}
