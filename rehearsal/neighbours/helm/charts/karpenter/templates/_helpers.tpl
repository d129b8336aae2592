{{- define "selector" -}}
app.kubernetes.io/name: karpenter
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "labels" -}}
helm.sh/chart: karpenter-{{ .Chart.Version }}
{{ include "selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | trimPrefix "v" | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}
