{{- define "belay.labels" -}}
app.kubernetes.io/name: belay
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "belay.selector" -}}
app.kubernetes.io/name: belay
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "belay.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* Restricted by Pod Security Standards; the image's user is node, 1000. */}}
{{- define "belay.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "belay.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/*
Worker and Slack process read and write the same records. A volume that one node mounts at a time (ReadWriteOnce) keeps both on that node:
each asks to be where a pod with this label is, and the scheduler places the first although there is none yet.
*/}}
{{- define "belay.recordsLabel" -}}
belay.dev/records: {{ .Release.Name }}
{{- end }}

{{/* Where a pod may run: what the values of its component say, and beside the records' volume. Takes root, component, values. */}}
{{- define "belay.scheduling" -}}
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- with .values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- range . }}
  - {{- toYaml . | nindent 4 }}
    {{- if not .labelSelector }}
    labelSelector:
      matchLabels:
        {{- include "belay.selector" $.root | nindent 8 }}
        app.kubernetes.io/component: {{ $.component }}
    {{- end }}
  {{- end }}
{{- end }}
{{- $affinity := deepCopy .values.affinity }}
{{- if and .recorded (eq (include "belay.boundToANode" .root) "yes") }}
{{- $podAffinity := get $affinity "podAffinity" | default dict }}
{{- $required := get $podAffinity "requiredDuringSchedulingIgnoredDuringExecution" | default list }}
{{- $beside := dict "topologyKey" "kubernetes.io/hostname" "labelSelector" (dict "matchLabels" (include "belay.recordsLabel" .root | fromYaml)) }}
{{- $_ := set $podAffinity "requiredDuringSchedulingIgnoredDuringExecution" (append $required $beside) }}
{{- $_ := set $affinity "podAffinity" $podAffinity }}
{{- end }}
{{- with $affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "belay.boundToANode" -}}
{{- if and .Values.records.volume (not (has "ReadWriteMany" .Values.records.accessModes)) }}yes{{ end }}
{{- end }}

{{/* Whether belay.yaml names a bucket. */}}
{{- define "belay.recordsInBucket" -}}
{{- $records := get (fromYaml .Values.config) "records" }}
{{- if kindIs "map" $records }}{{ if get $records "s3" }}yes{{ end }}{{ end }}
{{- end }}

{{/* What cannot be, said before anything is installed. */}}
{{- define "belay.checkRecords" -}}
{{- if and .Values.records.shared .Values.records.volume }}
{{- fail "records.shared is true, but the records are on a volume, where two workers would write into each other's lines: name a bucket under records.s3 in belay.yaml, and set records.volume to false" }}
{{- end }}
{{- if and .Values.records.volume (gt (int (include "belay.workerReplicas" .)) 1) }}
{{- fail (printf "worker.replicas is %d, but the records are on a volume, where two workers would write into each other's lines: name a bucket under records.s3 in belay.yaml, and set records.shared to true and records.volume to false" (int .Values.worker.replicas)) }}
{{- end }}
{{- if and (not .Values.records.volume) (not .Values.records.shared) }}
{{- fail "records.volume is false, so belay.yaml names a store that several workers may write: set records.shared to true as well" }}
{{- end }}
{{- if and (not .Values.records.volume) (ne (include "belay.recordsInBucket" .) "yes") }}
{{- fail "records.volume is false, but belay.yaml has no records.s3: each pod would keep records of its own and lose them at its end. Name a bucket under records.s3 in belay.yaml, or set records.volume to true" }}
{{- end }}
{{- end }}

{{- define "belay.workerReplicas" -}}
{{- if kindIs "invalid" .Values.worker.replicas }}{{ ternary 2 1 .Values.records.shared }}{{ else }}{{ .Values.worker.replicas }}{{ end }}
{{- end }}

{{/* Takes root, component, values, replicas. */}}
{{- define "belay.podDisruptionBudget" -}}
{{- if and .values.podDisruptionBudget.enabled (gt (int .replicas) 1) }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ .root.Release.Name }}-{{ .component }}
  labels:
    {{- include "belay.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
spec:
  maxUnavailable: {{ .values.podDisruptionBudget.maxUnavailable }}
  # While Temporal or Slack is away no pod is ready: without this, the budget would then hold up every drain of their nodes.
  # https://kubernetes.io/docs/tasks/run-application/configure-pdb/#unhealthy-pod-eviction-policy
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "belay.selector" .root | nindent 6 }}
      app.kubernetes.io/component: {{ .component }}
{{- end }}
{{- end }}

{{/* Credentials for Temporal, as files. Takes root, values. */}}
{{- define "belay.temporalEnv" -}}
{{- with .values.apiKeySecret }}
- name: TEMPORAL_API_KEY_FILE
  value: /temporal/TEMPORAL_API_KEY
{{- end }}
{{- if .values.tlsSecret }}
- name: TEMPORAL_TLS_CLIENT_CERT_PATH
  value: /temporal-tls/tls.crt
- name: TEMPORAL_TLS_CLIENT_KEY_PATH
  value: /temporal-tls/tls.key
{{- if .root.Values.temporal.tls.ca }}
- name: TEMPORAL_TLS_SERVER_CA_CERT_PATH
  value: /temporal-tls/ca.crt
{{- end }}
{{- with .root.Values.temporal.tls.serverName }}
- name: TEMPORAL_TLS_SERVER_NAME
  value: {{ . | quote }}
{{- end }}
{{- end }}
{{- end }}

{{/* Credentials for Temporal, and files of one's own. Whole directories: what is mounted by subPath is not renewed. */}}
{{- define "belay.filesMounts" -}}
{{- if .values.apiKeySecret }}
- name: temporal
  mountPath: /temporal
  readOnly: true
{{- end }}
{{- if .values.tlsSecret }}
- name: temporal-tls
  mountPath: /temporal-tls
  readOnly: true
{{- end }}
{{- with .values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "belay.filesVolumes" -}}
{{- with .values.apiKeySecret }}
- name: temporal
  secret:
    secretName: {{ . }}
    defaultMode: 288 # 0440, which YAML 1.2 would read as 440
{{- end }}
{{- with .values.tlsSecret }}
- name: temporal-tls
  secret:
    secretName: {{ . }}
    defaultMode: 288 # 0440, which YAML 1.2 would read as 440
{{- end }}
{{- with .values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "belay.recordsVolume" -}}
- name: records
  {{- if .Values.records.volume }}
  persistentVolumeClaim:
    claimName: {{ .Release.Name }}-records
  {{- else }}
  emptyDir: {}
  {{- end }}
{{- end }}

{{/* Names, and Temporal: what every component but the codec server reaches. */}}
{{- define "belay.egress" -}}
- ports:
    - { port: 53, protocol: UDP }
    - { port: 53, protocol: TCP }
- ports:
    - { port: {{ .Values.temporal.address | splitList ":" | last | int }}, protocol: TCP }
{{- end }}

{{- define "belay.env" -}}
- name: TEMPORAL_ADDRESS
  value: {{ .Values.temporal.address | quote }}
- name: TEMPORAL_NAMESPACE
  value: {{ .Values.temporal.namespace | quote }}
- name: BELAY_CODEC_KEYS
  valueFrom:
    secretKeyRef:
      name: {{ required "Make a Secret with BELAY_CODEC_KEYS (ID:KEY, the key by openssl rand -base64 32) and name it: --set codec.secret=belay-codec" .Values.codec.secret }}
      key: BELAY_CODEC_KEYS
{{- end }}

{{- define "belay.metricsEnv" -}}
- name: BELAY_METRICS_ADDRESS
  value: ":{{ .Values.metrics.port }}"
{{- end }}

{{/* The event loop turns; the process ends itself for what a restart cures, and nothing here asks whether Temporal or Slack is there. */}}
{{- define "belay.livenessProbe" -}}
httpGet:
  path: /healthz
  port: metrics
periodSeconds: 10
timeoutSeconds: 5
failureThreshold: 6
{{- end }}

{{/* Temporal has seen the worker poll lately; the Slack process is connected. A restart cures neither. */}}
{{- define "belay.readinessProbe" -}}
httpGet:
  path: /readyz
  port: metrics
periodSeconds: 10
timeoutSeconds: 5
{{- end }}

{{/* Whoever scrapes. The node's own probes are let in whatever a policy says: https://kubernetes.io/docs/concepts/services-networking/network-policies/ */}}
{{- define "belay.scrapeIngress" -}}
- ports:
    - { port: {{ .Values.metrics.port }}, protocol: TCP }
  {{- with .Values.networkPolicy.metricsFrom }}
  from:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
