/** Brings everything of a fleet's rehearsal up, and takes it down again: one Temporal, one Slack, one worker and one Slack app for all clusters. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { APPROVERS, CHANNEL } from '../backstage.ts';
import { Cast } from '../cast.ts';
import { fleetConfigFile } from '../config-file.ts';
import { makeSigningKey } from '../signing-key.ts';
import type { BelayAddresses } from '../../processes/belay.ts';
import { fleetOf, type FleetMember } from '../../scenarios/fleet.ts';
import { type FleetStage, setFleetStage } from '../stage/fleet-stage.ts';
import { campaignCommand } from '../stage/names.ts';
import { inheritedBy, type Raised, raiseTemporal } from '../temporal.ts';
import { campaignOf, type FleetCampaign } from './campaign.ts';
import type { FleetOptions } from './options.ts';

export interface FleetGiven {
  options: FleetOptions;
  directory: string;
  say: (line: string) => void;
  interrupted: AbortController;
}

export interface FleetScene extends Raised {
  members: readonly [FleetMember, ...FleetMember[]];
  campaign: FleetCampaign;
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
    const campaign = campaignOf(members, options.speed);
    const [first, ...others] = members;
    const stage = await setFleetStage({
      scenarios: [first.scenario, ...others.map(({ scenario }) => scenario)],
      speed: options.speed,
      pagePort: options.port,
      suggestion: campaignCommand('start', campaign.name),
      temporalUi: () => raised.temporal.ui,
    });
    this.#closing.push(() => stage.close());
    await options.onStage?.(stage);
    const recordsDirectory = join(directory, 'records');
    const belay = this.#configure({ members, campaign, stage, recordsDirectory }, raised);
    return { ...raised, members, campaign, stage, recordsDirectory, belay };
  }

  startBelay({ belay }: FleetScene): void {
    this.#cast.startBelay(belay);
  }

  /** Servers close after the processes, so that their last requests are answered. */
  async tearDown(): Promise<void> {
    await this.#cast.stop();
    for (const close of this.#closing.reverse()) await close();
  }

  #configure(
    { members, campaign, stage, recordsDirectory }: Omit<FleetScene, keyof Raised | 'belay'>,
    { source, temporal }: Raised,
  ): BelayAddresses {
    const { options, directory } = this.#given;
    const configPath = join(directory, 'belay.yaml');
    const slackKey = makeSigningKey('slack');
    const workerKey = makeSigningKey('worker');
    const publicKeys = { ...slackKey.publicKeys, ...workerKey.publicKeys };
    const clusters = members.map(({ scenario }, index) => ({ scenario, prometheusUrl: stage.clusters[index]?.prometheusUrl ?? '' }));
    const common = { speed: options.speed, channel: CHANNEL, approvers: APPROVERS, ui: temporal.ui, recordsDirectory };
    writeFileSync(configPath, fleetConfigFile(clusters, { ...common, publicKeys, campaigns: campaign.config }));
    const { workspace, apiUrl } = stage.slack;
    return {
      awsUrl: stage.aws.url,
      region: members[0].scenario.cluster.region,
      slackApiUrl: apiUrl,
      botToken: workspace.botToken,
      appToken: workspace.appToken,
      configFile: configPath,
      signingKey: slackKey.privateLine,
      workerSigningKey: workerKey.privateLine,
      program: options.program,
      temporal: { address: temporal.address, inherited: inheritedBy(source) },
    };
  }
}
