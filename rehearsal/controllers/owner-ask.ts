/** What owners of a change in code are asked for. */

/** What a message asks for, as its metadata says. */
export interface OwnerAsk {
  component: string;
  name: string;
  version: string;
  managedBy: string;
}
