/** Belay's two processes as an operator would run them, with the stand-ins' addresses in their environment. */
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { BELAY_ACCESS_KEY } from '../world/core/rights.ts';
import { pathWithTools } from '../neighbours/helm/find-helm.ts';
import { cleanEnvironment } from './environment.ts';
import { SupervisedProcess, type SupervisedOptions } from './supervised.ts';

export interface BelayAddresses {
  awsUrl: string;
  region: string;
  slackApiUrl: string;
  botToken: string;
  appToken: string;
  configFile: string;
  /** BELAY_SIGNING_KEY of the Slack process: no other one has it. */
  signingKey: string;
  /** The same of workers, which sign what a campaign starts; absent: they have none. */
  workerSigningKey?: string;
  temporal: { address: string /** TEMPORAL_* of a server of somebody else. */; inherited: Record<string, string> };
  /** Path of the `belay` that is started; default: cli/main beside this code. */
  program?: string | undefined;
}

export type BelayProcess = 'worker' | 'slack';

/** Not started yet. `second`: runs beside another one of the same kind. */
export function belayProcess(
  name: BelayProcess,
  addresses: BelayAddresses,
  directory: string,
  supervision: Pick<SupervisedOptions, 'undertaker' | 'restartAfterMs' | 'onStart' | 'onDeath' | 'onGivenUp'>,
  { second = false }: { second?: boolean } = {},
): SupervisedProcess {
  const suffix = second ? '-2' : '';
  // Beside this file lies the command, compiled or not.
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const program = addresses.program ?? fileURLToPath(new URL(`../../cli/main.${extension}`, import.meta.url));
  return new SupervisedProcess({
    ...supervision,
    name: `belay ${name}${suffix}`,
    command: process.execPath,
    args: ['--no-warnings', program, name],
    cwd: directory,
    env: {
      ...belayEnvironment(addresses, process.env),
      ...helmHome(join(directory, `helm${suffix}`)),
      ...signingKeyOf(name, addresses),
      PATH: pathWithTools(process.env),
    },
    logFile: join(directory, `${name}${suffix}.log`),
  });
}

function signingKeyOf(name: BelayProcess, { signingKey, workerSigningKey }: BelayAddresses): Record<string, string> {
  const key = name === 'slack' ? signingKey : workerSigningKey;
  return key === undefined ? {} : { BELAY_SIGNING_KEY: key };
}

/** Credentials are dummies: the stand-ins check that requests are signed, not by whom. */
export function belayEnvironment(addresses: BelayAddresses, inherited: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return cleanEnvironment(inherited, {
    AWS_ENDPOINT_URL: addresses.awsUrl,
    AWS_REGION: addresses.region,
    AWS_ACCESS_KEY_ID: BELAY_ACCESS_KEY,
    AWS_SECRET_ACCESS_KEY: 'rehearsal',
    AWS_EC2_METADATA_DISABLED: 'true',
    SLACK_API_URL: addresses.slackApiUrl,
    SLACK_BOT_TOKEN: addresses.botToken,
    SLACK_APP_TOKEN: addresses.appToken,
    BELAY_CONFIG: addresses.configFile,
    NO_COLOR: '1',
    ...addresses.temporal.inherited,
    TEMPORAL_ADDRESS: addresses.temporal.address,
  });
}

/** Helm's caches stay with the rehearsal. */
function helmHome(directory: string): Record<string, string> {
  return {
    HELM_CACHE_HOME: join(directory, 'cache'),
    HELM_CONFIG_HOME: join(directory, 'config'),
    HELM_DATA_HOME: join(directory, 'data'),
  };
}
