// The OTLP receiver of the OpenTelemetry Collector with nothing behind it: it takes logs and metrics by gRPC and HTTP and prints each request as
// a line of OTLP JSON. The whole collector would answer no differently and take twice as long to build.
//
// otelcol GRPC_ADDRESS HTTP_ADDRESS; it ends in good order on SIGTERM.
package main

import (
	"context"
	"log"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	metrics "go.opentelemetry.io/otel/metric/noop"
	traces "go.opentelemetry.io/otel/trace/noop"
	"go.uber.org/zap"
)

// host is what the receiver runs in: it has no extensions.
type host struct{}

func (host) GetExtensions() map[component.ID]component.Component { return nil }

// printer writes one line at a time, whoever calls.
type printer struct{ lock sync.Mutex }

func (printer *printer) line(json []byte, err error) error {
	if err != nil {
		return err
	}
	printer.lock.Lock()
	defer printer.lock.Unlock()
	_, err = os.Stdout.Write(append(json, '\n'))
	return err
}

func run(grpc, http string) error {
	factory := otlpreceiver.NewFactory()
	config := factory.CreateDefaultConfig()
	address := func(address string) map[string]any { return map[string]any{"endpoint": address} }
	protocols := map[string]any{"grpc": address(grpc), "http": address(http)}
	if err := confmap.NewFromStringMap(map[string]any{"protocols": protocols}).Unmarshal(config); err != nil {
		return err
	}
	logger, err := zap.NewProduction(zap.IncreaseLevel(zap.WarnLevel))
	if err != nil {
		return err
	}
	settings := receiver.Settings{
		ID: component.NewID(factory.Type()),
		TelemetrySettings: component.TelemetrySettings{
			Logger:         logger,
			TracerProvider: traces.NewTracerProvider(),
			MeterProvider:  metrics.NewMeterProvider(),
			Resource:       pcommon.NewResource(),
		},
		BuildInfo: component.NewDefaultBuildInfo(),
	}

	var out printer
	logs, err := consumer.NewLogs(func(_ context.Context, logs plog.Logs) error {
		return out.line((&plog.JSONMarshaler{}).MarshalLogs(logs))
	})
	if err != nil {
		return err
	}
	points, err := consumer.NewMetrics(func(_ context.Context, points pmetric.Metrics) error {
		return out.line((&pmetric.JSONMarshaler{}).MarshalMetrics(points))
	})
	if err != nil {
		return err
	}

	// Both are the same receiver, which serves what it was made for.
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	forLogs, err := factory.CreateLogs(ctx, settings, config, logs)
	if err != nil {
		return err
	}
	if _, err := factory.CreateMetrics(ctx, settings, config, points); err != nil {
		return err
	}
	if err := forLogs.Start(ctx, host{}); err != nil {
		return err
	}
	<-ctx.Done()
	return forLogs.Shutdown(context.Background())
}

func main() {
	if len(os.Args) != 3 {
		log.Fatal("otelcol GRPC_ADDRESS HTTP_ADDRESS")
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}
