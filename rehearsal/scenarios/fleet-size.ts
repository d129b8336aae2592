/** How many clusters a fleet of the rehearsal may have: one for each environment at least. */
export const FLEET_SIZES = { least: 3, most: 60 };
