/** EKS's own names of clusters: two accounts may each have a "main", and belay.yaml calls them by keys of their own. */
import type { KeyPath } from '../base/errors.ts';
import { text } from '../base/fields.ts';

/** docs.aws.amazon.com/eks/latest/APIReference/API_CreateCluster.html, name: 1 to 100 of these, letters and digits first. */
export const eksName = text('write the name that EKS has for the cluster, such as main', /^[0-9A-Za-z][0-9A-Za-z_-]{0,99}$/).describe(
  'As EKS calls the cluster, where two accounts or regions have clusters of one name. Belay’s commands, records and Slack use the key; requests and commands of AWS this name',
);

interface Named {
  name?: string;
  account?: string;
  region?: string;
}

/** One cluster under two keys would be two locks on it. */
export function sameClusters(clusters: Readonly<Record<string, Named>>): { path: KeyPath; message: string }[] {
  const first = new Map<string, string>();
  return Object.entries(clusters).flatMap(([key, { name = key, account, region }]) => {
    if (account === undefined || region === undefined) return [];
    const place = `${account}/${region}/${name}`;
    const other = first.get(place);
    if (other === undefined) {
      first.set(place, key);
      return [];
    }
    return [
      {
        path: ['clusters', key],
        message: `is the same cluster as ${other}: ${name} of account ${account} in ${region}; leave out one of the two, or correct its name, account or region`,
      },
    ];
  });
}
