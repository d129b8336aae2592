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

{{- define "belay.besideTheRecords" -}}
{{- if not (has "ReadWriteMany" .Values.records.accessModes) }}
affinity:
  podAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      - topologyKey: kubernetes.io/hostname
        labelSelector:
          matchLabels:
            {{- include "belay.recordsLabel" . | nindent 12 }}
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
