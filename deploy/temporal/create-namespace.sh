#!/bin/sh
# Creates the namespace, sets for how long it keeps the history of a run that has ended, and adds Belay's search attributes. Runs at every
# start; does nothing where nothing is to do. Adding attributes takes an administrator's rights, which a worker need not have.
# Environment: TEMPORAL_ADDRESS, NAMESPACE, RETENTION; TEMPORAL_TLS_* and TEMPORAL_API_KEY where the server asks for them.
set -eu

operator() { temporal operator "$@" --address "$TEMPORAL_ADDRESS"; }

# A server that has just started, or has just heard of the namespace, may need some seconds.
patiently() {
  tries=0
  until "$@"; do
    tries=$((tries + 1))
    if [ "$tries" -ge 30 ]; then
      echo "Temporal at $TEMPORAL_ADDRESS did not become ready: $*" >&2
      exit 1
    fi
    sleep 2
  done
}

patiently operator cluster health

if operator namespace describe --namespace "$NAMESPACE" >/dev/null 2>&1; then
  operator namespace update --namespace "$NAMESPACE" --retention "$RETENTION"
else
  operator namespace create --namespace "$NAMESPACE" --retention "$RETENTION"
fi

set --
for name in BelayCluster BelayEnvironment BelayTarget BelayPhase BelayWaitingFor BelayRequestedBy BelayCampaign BelayRing; do
  set -- "$@" --name "$name" --type Keyword
done
patiently operator search-attribute create --namespace "$NAMESPACE" "$@"
